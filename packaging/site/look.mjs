// Looks at the site in a headless Chromium, as a reader at a desk and with a phone does.
//
//   look.mjs CHROMIUM ORIGIN SITE [FOLDER [PAGE...]]
//
// Of each page (or those named), at 390 and at 1440 pixels: it asks no other server for anything,
// the browser has nothing to complain of, and nothing sticks out of it to the side. Of the front
// page: the colours can be changed, and a search finds something. Of the form of options: an answer
// changes the code. FOLDER gets pictures of the pages in PICTURES, light and dark.

import fs from "node:fs";
import path from "node:path";
import {createRequire} from "node:module";

const puppeteer = createRequire(path.join(process.cwd(), "x.js"))("puppeteer-core");
const [chromium, origin, site, folder, ...named] = process.argv.slice(2);
const PICTURES = ["index.html", "guide/tutorial.html", "guide/choose-options.html",
                  "api/cache/shared_informer.html", "manual/kinformer-get.html",
                  "inside/internals.html", "inside/benchmarks.html", "guide/tuning.html",
                  "server/envtest.html", "examples/node_index.html", "decisions/index.html"];
const SIZES = {phone: {width: 390, height: 844, isMobile: true, hasTouch: true},
               desk: {width: 1440, height: 900}};
const findings = [];

function pages(below = "") {
  return fs.readdirSync(path.join(site, below), {withFileTypes: true}).flatMap((entry) => {
    const name = path.posix.join(below, entry.name);
    if (entry.isDirectory()) return pages(name);
    return name.endsWith(".html") && name !== "404.html" ? [name] : [];
  });
}

// What sticks out of the page to the side, and is not scrolled within the page.
function wide() {
  const limit = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= limit) return "";
  const inside = (element) => {
    for (let at = element.parentElement; at; at = at.parentElement) {
      if (["auto", "scroll", "hidden"].includes(getComputedStyle(at).overflowX)) return true;
    }
    return false;
  };
  const out = [...document.querySelectorAll("body *")].filter(
    (one) => one.getBoundingClientRect().right > limit + 1 && !inside(one));
  return out.slice(0, 3).map((one) => `${one.tagName}.${one.className}: ${one.textContent
    .trim().slice(0, 60)}`).join("; ") || "the page";
}

async function open(browser, size, scheme) {
  const reader = await browser.createBrowserContext();  // who has chosen no colours yet
  const page = await reader.newPage();
  await page.setViewport(SIZES[size]);
  await page.emulateMediaFeatures([{name: "prefers-color-scheme", value: scheme}]);
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !/^(data|blob|about):/.test(url)) {
      findings.push(`${page.url()}: asks another server for ${url}`);
    }
  });
  page.on("requestfailed", (request) => {
    if (request.failure()?.errorText !== "net::ERR_ABORTED") {
      findings.push(`${page.url()}: ${request.url()} cannot be had`);
    }
  });
  page.on("response", (response) => {
    if (response.status() >= 400) findings.push(`${page.url()}: ${response.status()} for ${response.url()}`);
  });
  page.on("pageerror", (error) => findings.push(`${page.url()}: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error") findings.push(`${page.url()}: ${message.text()}`);
  });
  return page;
}

async function require_(holds, what) {
  if (holds) return console.log(`ok: ${what}`);
  findings.push(`not so: ${what}`);
}

async function front(browser) {
  const page = await open(browser, "desk", "light");
  await page.goto(`${origin}/index.html`, {waitUntil: "load"});
  const scheme = () => page.evaluate(() => document.body.getAttribute("data-md-color-scheme"));
  await require_(await scheme() === "default", "the colours of a light system are light");
  for (let click = 0; click < 2 && await scheme() !== "slate"; ++click) {
    await page.click("form[data-md-component=palette] label:not([hidden])");
  }
  await require_(await scheme() === "slate", "the colours can be changed to dark ones");
  await page.click(".md-search__input");
  await page.type(".md-search__input", "consistency_check_period");
  await page.waitForSelector(".md-search-result__item a", {timeout: 60000});
  const found = await page.$$eval(".md-search-result__item a", (all) => all.map((one) => one.href));
  await require_(found.some((link) => link.includes("/api/")), "a search finds the API reference");
  await page.browserContext().close();
  const dark = await open(browser, "desk", "dark");
  await dark.goto(`${origin}/index.html`, {waitUntil: "load"});
  await require_(await dark.evaluate(() =>
    document.body.getAttribute("data-md-color-scheme")) === "slate",
  "the colours of a dark system are dark");
  await dark.browserContext().close();
}

async function form(browser) {
  const page = await open(browser, "phone", "light");
  await page.goto(`${origin}/guide/choose-options.html`, {waitUntil: "load"});
  const code = () => page.$eval(".options-result code", (one) => one.textContent);
  const before = await code();
  await page.click("#options-form fieldset:nth-of-type(2) label:nth-of-type(2) input");
  const after = await code();
  await require_(!before.includes("namespace_") && after.includes(".namespace_ = "),
                 "an answer of the form changes its code");
  await page.browserContext().close();
}

const browser = await puppeteer.launch({executablePath: chromium, args: ["--no-sandbox"]});
try {
  await front(browser);
  await form(browser);
  const all = named.length > 0 ? named : pages();
  for (const size of Object.keys(SIZES)) {
    const page = await open(browser, size, "light");
    for (const name of all) {
      await page.goto(`${origin}/${name}`, {waitUntil: "load"});
      const out = await page.evaluate(wide);
      if (out) findings.push(`${name}: sticks out to the side at ${SIZES[size].width} pixels: ${out}`);
    }
    await page.browserContext().close();
    console.log(`${size}: ${all.length} pages`);
  }
  for (const size of folder ? Object.keys(SIZES) : []) {
    for (const scheme of ["light", "dark"]) {
      const page = await open(browser, size, scheme);
      for (const name of PICTURES.filter((one) => all.includes(one))) {
        await page.goto(`${origin}/${name}`, {waitUntil: "load"});
        const file = `${name.replace(/\.html$/, "").replaceAll("/", "-")}-${size}-${scheme}.png`;
        await page.screenshot({path: path.join(folder, file)});
      }
      await page.browserContext().close();
    }
  }
} finally {
  await browser.close();
}
console.log([...findings, `${findings.length} findings`].join("\n"));
process.exit(findings.length > 0 ? 1 : 0);
