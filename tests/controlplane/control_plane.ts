/** etcd and kube-apiserver on loopback with their own certificates, for one test file. */
import { encodeBase64 } from "@std/encoding/base64";
import type { KubeObject, Resource } from "../../src/api/mod.ts";
import { eventually, freePort, Process } from "./process.ts";
import { runProgram } from "./run_program.ts";
import { Authority, type KeyPair, serviceAccountKeys } from "./pki.ts";
import { assetsFolder, missingBinaries } from "./binaries.ts";
import { EtcdState } from "./etcd_state.ts";
import { copyData, dataOfFirstStart, mayShareFirstStart } from "./first_start.ts";

/** Why cluster tests cannot run here, or `undefined` when they can. */
export async function whyNoControlPlane(): Promise<string | undefined> {
  const folder = await assetsFolder();
  const missing = await missingBinaries(folder);
  return missing.length === 0 ? undefined : `${missing.join(", ")} not in ${folder}: run \`deno task controlplane\``;
}

export interface ControlPlaneOptions {
  /** More flags for kube-apiserver. */
  readonly apiserverFlags?: readonly string[];
  /** Who vouches for it; by default an authority of its own. */
  readonly authority?: Authority;
  /** A folder that {@link ControlPlane.saveData} made, to begin with what is in it. */
  readonly data?: string;
}

/** Those kinds that are found in etcd under another name than their resource's. */
const STORED_AS: ReadonlyMap<string, string> = new Map([
  ["replicationcontrollers", "controllers"],
  ["nodes", "minions"],
  ["services", "services/specs"],
  ["endpoints", "services/endpoints"],
]);

/** @throws {Error} At once if it ends, with what it said. */
async function untilReady(process: Process, isReady: () => Promise<boolean>): Promise<void> {
  const { name } = process;
  await eventually(`${name} is ready`, async () => process.exit || await isReady(), { withinMs: 300_000 });
  if (!process.exit) return;
  const { code } = await process.stop(); // until all is read that it said
  throw new Error(`${name} ended with ${code}: ${process.output.slice(-3000)}`);
}

function base64(text: string): string {
  return encodeBase64(new TextEncoder().encode(text));
}

/** The last that was started first. */
async function stopAll(processes: readonly Process[]): Promise<void> {
  await Promise.all(processes.toReversed().map((process) => process.stop({ signal: "SIGKILL" })));
}

async function namesIn(folder: string): Promise<ReadonlySet<string>> {
  return new Set(await Array.fromAsync(Deno.readDir(folder), ({ name }) => name));
}

/** Those of kube-apiserver that are the same everywhere. */
const USUAL_FLAGS = [
  "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
  "--service-cluster-ip-range=10.0.0.0/16",
  "--endpoint-reconciler-type=none",
  "--authorization-mode=RBAC",
  "--allow-privileged=true",
  "--shutdown-delay-duration=0s",
];

/** What belongs to one cluster alone of that which kube-apiserver writes: whom it trusts, and since when. */
const OWN_KEYS = ["configmaps", "events", "leases", "peerserverleases"];

async function dataToBeginWith({ apiserverFlags = [] }: ControlPlaneOptions): Promise<string | undefined> {
  if (!mayShareFirstStart(apiserverFlags)) return undefined;
  return await dataOfFirstStart([...USUAL_FLAGS, ...OWN_KEYS], ControlPlane.saveFirstStart);
}

/** One that nobody uses now, until somebody does again. */
interface Kept {
  plane?: ControlPlane;
}

/** What a control plane began with, if it can begin again: all that etcd held, and the names of its files. */
interface Beginning {
  readonly etcd: EtcdState;
  readonly files: ReadonlySet<string>;
}

/** What stays the same when a control plane is used again. */
interface Place {
  readonly folder: string;
  readonly bin: string;
  readonly authority: Authority;
  readonly flags: readonly string[];
  readonly port: number;
  readonly etcdPort: number;
}

export class ControlPlane implements AsyncDisposable {
  /** Absent unless {@link keepUsed} was called. */
  static #kept: Kept | undefined;

  readonly #place: Place;
  readonly #processes: Process[] = [];
  #beginning: Beginning | undefined;
  #apiserver: Process | undefined;
  #etcd: Process | undefined;
  /** The administrator's; made with its certificate. */
  #http: Deno.HttpClient | undefined;

  private constructor(place: Place) {
    this.#place = place;
  }

  /**
   * From now on one with the usual settings is not ended when it is disposed of, but kept for the next who asks for such a one, and
   * then loses all that it did not begin with: to start one costs more than most tests.
   */
  static keepUsed(): void {
    ControlPlane.#kept ??= {};
  }

  /** Ends the one that is kept. */
  static async endKept(): Promise<void> {
    const plane = ControlPlane.#kept?.plane;
    ControlPlane.#kept = undefined;
    await plane?.[Symbol.asyncDispose]();
  }

  /** Starts etcd and kube-apiserver and waits until the API server is ready. */
  static async start(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
    const { apiserverFlags, authority, data } = options;
    const kept = ControlPlane.#kept;
    if (!kept || apiserverFlags || authority || data) return await ControlPlane.#startNew(options);
    const { plane } = kept;
    kept.plane = undefined;
    const again = plane && await plane.#again();
    if (again) return again;
    const made = await ControlPlane.#startNew(options);
    const etcd = await EtcdState.read((path, body) => made.#askEtcd(path, body));
    made.#beginning = { etcd, files: await namesIn(made.folder) };
    return made;
  }

  static async #startNew(options: ControlPlaneOptions): Promise<ControlPlane> {
    for (let attempt = 1;; attempt++) {
      try {
        return await ControlPlane.#startOnce(options, options.data ?? await dataToBeginWith(options));
      } catch (error) {
        // Somebody else took a port between its choice and its use.
        if (attempt === 3 || !(error as Error).message.includes("address already in use")) throw error;
      }
    }
  }

  static async #startOnce(
    { apiserverFlags = [], ...given }: ControlPlaneOptions,
    data: string | undefined,
  ): Promise<ControlPlane> {
    const authority = given.authority ?? await Authority.create();
    const folder = await Deno.makeTempDir({ prefix: "kubeloop-controlplane-" });
    const bin = await assetsFolder();
    const ports = { port: freePort(), etcdPort: freePort() };
    const plane = new ControlPlane({ folder, bin, authority, flags: apiserverFlags, ...ports });
    try {
      await plane.#writeFiles();
      if (data) await copyData(data, `${folder}/etcd`);
      await plane.#startEtcd();
      await plane.startApiserver();
      return plane;
    } catch (error) {
      await plane[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Starts one on nothing, and saves what every other one would have written too. */
  static async saveFirstStart(folder: string): Promise<void> {
    await using plane = await ControlPlane.#startOnce({}, undefined);
    await plane.apiserver.stop();
    for (const kind of OWN_KEYS) {
      // "0" is what comes behind "/".
      const range = { key: base64(`/registry/${kind}/`), range_end: base64(`/registry/${kind}0`) };
      await plane.#askEtcd("kv/deleterange", range);
    }
    await plane.saveData(folder);
  }

  get folder(): string {
    return this.#place.folder;
  }

  /** Where its programs are. */
  get bin(): string {
    return this.#place.bin;
  }

  get authority(): Authority {
    return this.#place.authority;
  }

  get port(): number {
    return this.#place.port;
  }

  get server(): string {
    return `https://127.0.0.1:${this.port}`;
  }

  /** The kubeconfig of the cluster's administrator. */
  get kubeconfig(): string {
    return `${this.folder}/admin.conf`;
  }

  get rootCaFile(): string {
    return `${this.folder}/ca.crt`;
  }

  /** The key of {@link rootCaFile}. */
  get rootCaKeyFile(): string {
    return `${this.folder}/ca.key`;
  }

  get serviceAccountKeyFile(): string {
    return `${this.folder}/sa.key`;
  }

  get apiserver(): Process {
    return this.#apiserver!;
  }

  /** Starts kube-apiserver, again after {@link killApiserver}, and waits until it is ready. */
  async startApiserver(): Promise<void> {
    const { folder } = this;
    this.#apiserver = this.run("kube-apiserver", [
      `--etcd-servers=http://127.0.0.1:${this.#place.etcdPort}`,
      "--bind-address=127.0.0.1",
      "--advertise-address=127.0.0.1",
      `--secure-port=${this.port}`,
      `--tls-cert-file=${folder}/apiserver.crt`,
      `--tls-private-key-file=${folder}/apiserver.key`,
      `--client-ca-file=${folder}/ca.crt`,
      `--service-account-key-file=${folder}/sa.pub`,
      `--service-account-signing-key-file=${folder}/sa.key`,
      ...USUAL_FLAGS,
      ...this.#place.flags,
    ]);
    await untilReady(this.apiserver, async () => (await this.ask("/readyz"))?.trim() === "ok");
    await eventually("namespace default exists", () => this.ask("/api/v1/namespaces/default"));
  }

  /**
   * Asks kube-apiserver as the administrator, without the quarter of a second of processor time that kubectl takes to start.
   *
   * @returns The body; `undefined` if there is nothing at `path`.
   * @throws {Error} If it answers with another failure.
   */
  async ask(path: string, method = "GET"): Promise<string | undefined> {
    const response = await fetch(this.server + path, {
      method,
      client: this.#http,
      signal: AbortSignal.timeout(30_000),
    });
    const text = await response.text();
    if (response.status === 404) return undefined;
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status}: ${text}`);
    return text;
  }

  /** Ends kube-apiserver at once, as a crash would. */
  async killApiserver(): Promise<void> {
    this.#beginning = undefined;
    await this.apiserver.stop({ signal: "SIGKILL" });
  }

  /** Starts one of the control plane's programs; it is ended with the control plane at the latest. */
  run(binary: string, args: readonly string[], { name = binary }: { name?: string } = {}): Process {
    return this.adopt(new Process(name, `${this.bin}/${binary}`, { args: [...args] }));
  }

  /** Ends `process` with the control plane. */
  adopt(process: Process): Process {
    this.#processes.push(process);
    return process;
  }

  /** Starts kube-scheduler. */
  startScheduler(): Process {
    return this.run("kube-scheduler", [
      `--kubeconfig=${this.kubeconfig}`,
      `--authentication-kubeconfig=${this.kubeconfig}`,
      `--authorization-kubeconfig=${this.kubeconfig}`,
      `--secure-port=${freePort()}`,
      "--bind-address=127.0.0.1",
      "--leader-elect=false",
      "--kube-api-qps=1000",
      "--kube-api-burst=1000",
    ]);
  }

  /**
   * Runs kubectl as the administrator.
   *
   * @returns What it printed.
   * @throws {Error} If it fails, with what it said.
   */
  async kubectl(
    args: readonly string[],
    { input, kubeconfig = this.kubeconfig }: { input?: string; kubeconfig?: string } = {},
  ) {
    const { code, stdout, stderr } = await runProgram(`${this.bin}/kubectl`, {
      args: ["--kubeconfig", kubeconfig, ...args],
      env: { HOME: this.folder, KUBECONFIG: kubeconfig },
      input,
    });
    if (code !== 0) throw new Error(`kubectl ${args.join(" ")}: ${stderr.trim()}`);
    return stdout;
  }

  /** What `kubectl get ARGS -o json` answers. */
  async get<T>(...args: string[]): Promise<T> {
    return JSON.parse(await this.kubectl(["get", ...args, "-o", "json"])) as T;
  }

  /** Creates or updates the objects in `manifest`, as `kubectl apply` does. */
  apply(manifest: unknown | readonly unknown[]): Promise<string> {
    const items = Array.isArray(manifest) ? manifest : [manifest];
    return this.kubectl(["apply", "-f", "-"], { input: JSON.stringify({ apiVersion: "v1", kind: "List", items }) });
  }

  /**
   * Writes an object into etcd, past all that kube-apiserver checks, as a client of an older one may have left it behind. As JSON:
   * kube-apiserver reads that too.
   *
   * @throws {Error} If etcd refuses it, with what it said.
   */
  store(resource: Resource, object: KubeObject): Promise<void> {
    return this.storeAll(resource, [object]);
  }

  /** Writes objects into etcd in one transaction, see {@link store}; etcd takes 128 at most. */
  async storeAll({ plural }: Resource, objects: readonly KubeObject[]): Promise<void> {
    const folder = STORED_AS.get(plural) ?? plural;
    const success = objects.map((object) => {
      const { namespace, name } = object.metadata ?? {};
      const { resourceVersion: _, ...metadata } = object.metadata ?? {};
      const path = ["/registry", folder, namespace, name].filter(Boolean).join("/");
      return { requestPut: { key: base64(path), value: base64(JSON.stringify({ ...object, metadata })) } };
    });
    await this.#askEtcd("kv/txn", { success });
  }

  async #askEtcd<T>(path: string, body: unknown): Promise<T> {
    const url = `http://127.0.0.1:${this.#place.etcdPort}/v3/${path}`;
    const response = await fetch(url, { method: "POST", body: JSON.stringify(body) });
    const answer = await response.text();
    if (!response.ok) throw new Error(`etcd refused ${path}: ${response.status}: ${answer}`);
    return JSON.parse(answer);
  }

  /** Ends kube-apiserver and etcd, and copies what they have stored to `folder`, which may not be there yet. */
  async saveData(folder: string): Promise<void> {
    this.#beginning = undefined;
    await this.#apiserver?.stop();
    await this.#etcd?.stop();
    await copyData(`${this.folder}/etcd`, folder);
  }

  /** A kubeconfig file for a client certificate, or with changes to the usual one. */
  async writeKubeconfig(
    name: string,
    { user, server = this.server, ca = this.authority.cert }: { user: KeyPair; server?: string; ca?: string },
  ): Promise<string> {
    const path = `${this.folder}/${name}.conf`;
    const config = {
      apiVersion: "v1",
      kind: "Config",
      "current-context": "test",
      clusters: [{ name: "test", cluster: { server, "certificate-authority-data": btoa(ca) } }],
      users: [{
        name: "test",
        user: { "client-certificate-data": btoa(user.cert), "client-key-data": btoa(user.key) },
      }],
      contexts: [{ name: "test", context: { cluster: "test", user: "test" } }],
    };
    await Deno.writeTextFile(path, JSON.stringify(config, null, 2));
    return path;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const kept = ControlPlane.#kept;
    if (!kept || kept.plane || !this.#beginning) return await this.#end();
    await stopAll(this.#processes.filter((process) => process !== this.#etcd && process !== this.#apiserver));
    kept.plane = this;
  }

  /**
   * The same programs, with nothing left of all that they did not begin with.
   *
   * @returns `undefined` if that cannot be; then they have ended.
   */
  async #again(): Promise<ControlPlane | undefined> {
    const { etcd, files } = this.#beginning!;
    if (this.#etcd!.exit || this.#apiserver!.exit || !await etcd.restore()) {
      await this.#end();
      return undefined;
    }
    const others = (await namesIn(this.folder)).difference(files);
    for (const name of others) await Deno.remove(`${this.folder}/${name}`, { recursive: true });
    const plane = new ControlPlane(this.#place);
    plane.#etcd = plane.adopt(this.#etcd!);
    plane.#apiserver = plane.adopt(this.#apiserver!);
    plane.#http = this.#http;
    plane.#beginning = this.#beginning;
    return plane;
  }

  async #end(): Promise<void> {
    this.#http?.close();
    await stopAll(this.#processes);
    await Deno.remove(this.folder, { recursive: true });
  }

  async #startEtcd(): Promise<void> {
    const peer = freePort();
    const url = `http://127.0.0.1:${this.#place.etcdPort}`;
    const etcd = this.#etcd = this.run("etcd", [
      `--data-dir=${this.folder}/etcd`,
      `--listen-client-urls=${url}`,
      `--advertise-client-urls=${url}`,
      `--listen-peer-urls=http://127.0.0.1:${peer}`,
      `--initial-advertise-peer-urls=http://127.0.0.1:${peer}`,
      `--initial-cluster=default=http://127.0.0.1:${peer}`,
      "--unsafe-no-fsync",
      "--quota-backend-bytes=8589934592", // 150,000 pods and their history are more than the default
      "--log-level=warn",
    ]);
    await untilReady(etcd, async () => {
      const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(10_000) });
      return (await response.text()).includes("true");
    });
  }

  async #writeFiles(): Promise<void> {
    const serving = await this.authority.serving(["localhost", "kubernetes.default.svc"], ["127.0.0.1", "10.0.0.1"]);
    const tokens = await serviceAccountKeys();
    const files = {
      "ca.crt": this.authority.cert,
      "ca.key": await this.authority.key(),
      "apiserver.crt": serving.cert,
      "apiserver.key": serving.key,
      "sa.key": tokens.privateKey,
      "sa.pub": tokens.publicKey,
    };
    for (const [name, text] of Object.entries(files)) await Deno.writeTextFile(`${this.folder}/${name}`, text);
    const user = await this.authority.client("admin", ["system:masters"]);
    await this.writeKubeconfig("admin", { user });
    this.#http = Deno.createHttpClient({ caCerts: [this.authority.cert], ...user });
  }
}
