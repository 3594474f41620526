// A use of all names in TypeScript, for the compiler alone; see ../run-npm.

import { command, ServerError, startApiServer, type ApiServer, type Options } from "kinformer";

const options: Options = { load: ["crds"], authorizationMode: "RBAC", startTimeout: 1000 };

export async function main(): Promise<number | undefined> {
  await using server: ApiServer = await startApiServer(options);
  const state: Uint8Array = await server.snapshot();
  await server.restore(state);
  const namespace: string = await server.createNamespace();
  try {
    await server.request("GET", `/api/v1/namespaces/${namespace}`);
  } catch (error) {
    if (error instanceof ServerError) return error.status;
  }
  return command().length;
}
