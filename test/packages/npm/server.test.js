// The npm package, with the official client; see ../run-npm.

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { AppsV1Api, CoreV1Api, KubeConfig } from "@kubernetes/client-node";
import { command, ServerError, startApiServer } from "kinformer";

let server;
let config;
let core;
before(async () => {
  server = await startApiServer({ simulateWorkloads: true });
  config = new KubeConfig();
  config.loadFromFile(server.kubeconfig);
  core = config.makeApiClient(CoreV1Api);
});
after(() => server.stop());

async function until(condition) {
  const end = Date.now() + 30_000;
  while (!(await condition())) {
    assert.ok(Date.now() < end, "the condition did not come true");
    await wait(50);
  }
}

// Gone, or a zombie that nobody has waited for.
function ended(pid) {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").pop().startsWith("Z");
  } catch {
    return true;
  }
}

const configMap = { metadata: { name: "a" }, data: { key: "value" } };

test("the official client creates and reads", async () => {
  const namespace = await server.createNamespace();
  await core.createNamespacedConfigMap({ namespace, body: configMap });
  const read = await core.readNamespacedConfigMap({ namespace, name: "a" });
  assert.equal(read.data.key, "value");
});

test("a simulated Deployment becomes ready", async () => {
  const namespace = await server.createNamespace();
  const apps = config.makeApiClient(AppsV1Api);
  const labels = { app: "web" };
  await apps.createNamespacedDeployment({ namespace, body: {
    metadata: { name: "web" },
    spec: { replicas: 2, selector: { matchLabels: labels }, template: {
      metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } } } } });
  await until(async () => {
    const { status } = await apps.readNamespacedDeploymentStatus({ namespace, name: "web" });
    return status?.readyReplicas === 2;
  });
});

test("a restored server is as it was", async () => {
  const state = await server.snapshot();
  await core.createNamespacedConfigMap({ namespace: "default", body: configMap });
  await server.restore(state);
  await assert.rejects(server.request("GET", "/api/v1/namespaces/default/configmaps/a"),
    (error) => error instanceof ServerError && error.status === 404 &&
      error.message.includes('configmaps "a" not found'));
});

test("without the token nobody is let in", async () => {
  const { stdout } = await promisify(execFile)("curl", ["-s", "--cacert", server.caFile,
    "-o", "/dev/null", "-w", "%{http_code}", `${server.url}/api/v1/namespaces`]);
  assert.equal(stdout, "401");
});

test("a wrong option is an error in the words of the server", async () => {
  await assert.rejects(startApiServer({ args: ["--no-such-option"] }),
    /ended at its start:[^]*--no-such-option/);
});

test("a command that is not there is an error", async () => {
  process.env.KINFORMER_COMMAND = "/nowhere/kinformer";
  try {
    await assert.rejects(startApiServer(), /KINFORMER_COMMAND names \/nowhere\/kinformer/);
  } finally {
    delete process.env.KINFORMER_COMMAND;
  }
});

test("a stopped server leaves no process and no file", async () => {
  const other = await startApiServer();
  assert.ok(!ended(other.pid));
  await other.stop();
  await other.stop();
  assert.ok(ended(other.pid));
  assert.ok(!existsSync(other.kubeconfig));
});

const starter = `import { startApiServer } from "kinformer";
const server = await startApiServer();
console.log(server.pid, server.kubeconfig);
`;

test("a server ends with a program that is killed", async () => {
  const program = spawn(process.execPath, ["--input-type=module", "-e",
    `${starter} setTimeout(() => {}, 600_000);`], { stdio: ["ignore", "pipe", "inherit"] });
  const [said] = await program.stdout.setEncoding("utf8").take(1).toArray();
  program.kill("SIGKILL");
  await until(() => ended(Number(said.split(" ")[0])));
});

test("a server does not keep a program from its end", async () => {
  const { stdout } = await promisify(execFile)(process.execPath,
    ["--input-type=module", "-e", starter], { timeout: 30_000 });
  const [pid, kubeconfig] = stdout.trim().split(" ");
  await until(() => ended(Number(pid)));
  assert.ok(!existsSync(kubeconfig));
});

test("the command is in node_modules/.bin", async () => {
  const { stdout } = await promisify(execFile)("node_modules/.bin/kinformer", ["--version"]);
  assert.match(stdout, /^kinformer \d/);
  assert.ok(existsSync(command()));
});
