// ApiServer: a `kinformer apiserver` that ends with this program, however this program ends.
// index.d.ts explains each name.

import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { accessSync, constants, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { request as httpsRequest } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export class ServerError extends Error {
  constructor(message, status) {
    super(message);
    this.name = "ServerError";
    this.status = status;
  }
}

export function command() {
  const given = process.env.KINFORMER_COMMAND;
  const path = given || fileURLToPath(new URL("bundle/bin/kinformer", import.meta.url));
  try {
    accessSync(path, constants.X_OK);
  } catch {
    const where = given ? "KINFORMER_COMMAND names" : "this installation of kinformer lacks";
    throw new ServerError(`${where} ${path}, which is no program: install the package again`);
  }
  return path;
}

function argumentsOf(options, folder, kubeconfig) {
  const out = ["apiserver", "--listen", "127.0.0.1:0", "--stop-with-stdin", "--debug-endpoints",
    "--tls", "--cert-dir", folder, "--kubeconfig-out", kubeconfig,
    "--authorization-mode", options.authorizationMode ?? "AlwaysAllow"];
  for (const path of options.load ?? []) out.push("--load", path);
  if (options.simulateWorkloads === true) out.push("--simulate-workloads");
  else if (options.simulateWorkloads) {
    out.push(`--simulate-workloads=${options.simulateWorkloads}`);
  }
  if (options.fieldOwners ?? true) out.push("--field-owners");
  return [...out, ...(options.args ?? [])];
}

// Resolves with the URL once the server says that it is ready.
function ready(child, program, milliseconds) {
  return new Promise((resolve, reject) => {
    let said = "";
    let errors = "";
    const failed = (how) => {
      clearTimeout(timer);
      reject(new ServerError(`${program} apiserver ${how}:\n${errors.trim()}`));
    };
    const timer = setTimeout(() => failed(`is not ready after ${milliseconds} ms`), milliseconds);
    child.stderr.setEncoding("utf8").on("data", (text) => { errors = (errors + text).slice(-8192); });
    child.stdout.setEncoding("utf8").on("data", (text) => {
      said = (said + text).slice(-8192);
      const url = /^serving at (\S+)$/m.exec(said);
      if (!url || !/^kubeconfig in /m.test(said)) return;
      clearTimeout(timer);
      resolve(url[1]);
    });
    child.on("error", (error) => failed(`does not run on this machine: ${error.message}`));
    child.on("close", () => failed("ended at its start"));
  });
}

class ApiServer {
  #child;
  #folder;
  #ca;
  #remove = () => rmSync(this.#folder, { recursive: true, force: true });

  constructor(child, folder, url, kubeconfig, token) {
    this.#child = child;
    this.#folder = folder;
    this.url = url;
    this.kubeconfig = kubeconfig;
    this.token = token;
    this.caFile = join(folder, "ca.crt");
    this.#ca = readFileSync(this.caFile);
    this.pid = child.pid;
    process.on("exit", this.#remove);
  }

  async request(method, path, body, contentType = "application/json") {
    const data = body === undefined ? undefined : JSON.stringify(body);
    const answer = await this.#send(method, path, data, contentType);
    return answer.length ? JSON.parse(answer.toString()) : undefined;
  }

  async snapshot() {
    return this.#send("GET", "/debug/snapshot");
  }

  async restore(state) {
    await this.#send("PUT", "/debug/snapshot", state, "application/octet-stream");
  }

  async createNamespace() {
    const metadata = { name: `test-${randomBytes(6).toString("hex")}` };
    await this.request("POST", "/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata });
    return metadata.name;
  }

  async stop() {
    await end(this.#child);
    this.#remove();
    process.off("exit", this.#remove);
  }

  async [Symbol.asyncDispose ?? Symbol.for("nodejs.asyncDispose")]() {
    await this.stop();
  }

  #send(method, path, data, contentType) {
    const headers = { Authorization: `Bearer ${this.token}` };
    if (data !== undefined) {
      headers["Content-Type"] = contentType;
      headers["Content-Length"] = Buffer.byteLength(data);
    }
    return new Promise((resolve, reject) => {
      const fail = (why, status) =>
        reject(new ServerError(`${method} ${path}: ${why}`, status));
      const sent = httpsRequest(this.url + path, { method, headers, ca: this.#ca, agent: false });
      sent.on("error", (error) => fail(error.message));
      sent.on("response", (response) => {
        const pieces = [];
        response.on("data", (piece) => pieces.push(piece));
        response.on("error", (error) => fail(error.message));
        response.on("end", () => {
          const answer = Buffer.concat(pieces);
          if (response.statusCode < 400) return resolve(answer);
          fail(`${response.statusCode}: ${messageOf(answer.toString())}`, response.statusCode);
        });
      });
      sent.end(data);
    });
  }
}

function messageOf(text) {
  try {
    return JSON.parse(text).message ?? text;
  } catch {
    return text.trim();
  }
}

// Ends the process, by force after ten seconds, and waits for it.
function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    const force = setTimeout(() => child.kill("SIGKILL"), 10_000);
    child.once("close", () => {
      clearTimeout(force);
      resolve();
    });
    child.kill("SIGTERM");
  });
}

export async function startApiServer(options = {}) {
  const program = command();
  const folder = mkdtempSync(join(tmpdir(), "kinformer-"));
  const kubeconfig = join(folder, "kubeconfig");
  const token = randomBytes(18).toString("base64url");
  const child = spawn(program, argumentsOf(options, folder, kubeconfig), {
    env: { ...process.env, KINFORMER_APISERVER_TOKEN: token },
  });
  try {
    const url = await ready(child, program, options.startTimeout ?? 30_000);
    // A program whose own work is done ends, and the server with it.
    for (const one of [child, child.stdin, child.stdout, child.stderr]) one.unref();
    return new ApiServer(child, folder, url, kubeconfig, token);
  } catch (error) {
    if (child.pid !== undefined) await end(child);
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}
