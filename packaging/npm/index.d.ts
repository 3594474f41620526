/** How a server is started; `kinformer apiserver --help` explains the options. */
export interface Options {
  /** Files or folders of manifests, or a saved state, that are there from the start. */
  load?: readonly string[];
  /** Brings Deployments, Jobs and so on to life; a text is the path of a script. */
  simulateWorkloads?: boolean | string;
  /** The user of the kubeconfig may do everything in either mode. Default: AlwaysAllow. */
  authorizationMode?: "AlwaysAllow" | "RBAC";
  /** Tracks metadata.managedFields, as a real server does. Default: true. */
  fieldOwners?: boolean;
  /** Further arguments. */
  args?: readonly string[];
  /** Milliseconds until a server that is not ready is given up. Default: 30,000. */
  startTimeout?: number;
}

/** The server could not be started, or answered a request with an error. */
export class ServerError extends Error {
  /** The HTTP status of the answer; undefined if there was none. */
  readonly status: number | undefined;
}

/** A running server. It ends with this program, however this program ends. */
export interface ApiServer extends AsyncDisposable {
  /** https://127.0.0.1:PORT */
  readonly url: string;
  /** The path of a kubeconfig; its user is in the group system:masters. */
  readonly kubeconfig: string;
  /** The bearer token of that user. */
  readonly token: string;
  /** The path of the authority that has signed the server's certificate, PEM. */
  readonly caFile: string;
  /** The id of the server's process. */
  readonly pid: number;
  /** Sends a request as that user, and returns the JSON of the answer. */
  request(method: string, path: string, body?: unknown, contentType?: string): Promise<any>;
  /** Returns all that is stored, for `restore` of this or another server. */
  snapshot(): Promise<Uint8Array>;
  /** Replaces all that is stored. Open watches end with 410, and clients list again. */
  restore(state: Uint8Array): Promise<void>;
  /** Creates a namespace with a name of its own, and returns the name. */
  createNamespace(): Promise<string>;
  /** Ends the server and removes its files. May be repeated. */
  stop(): Promise<void>;
}

/** Starts a server, and returns it once it serves. */
export function startApiServer(options?: Options): Promise<ApiServer>;

/** Returns the path of the program: $KINFORMER_COMMAND, or the one in this package. */
export function command(): string;
