/** The embedded API server behind TLS with simulated nodes, for upstream's programs to work on. */
import { MemoryLogger, systemWorld } from "../../src/base/mod.ts";
import { SELFSUBJECTREVIEWS } from "../../src/api/mod.ts";
import { InformerFactory } from "../../src/cache/mod.ts";
import type { Client } from "../../src/client/mod.ts";
import {
  type ApiServer,
  CertificateAuthority,
  createApiServer,
  type KubeconfigOptions,
  kubeconfigText,
  METRICS_SERVICE,
  MetricsApi,
  metricsApiServices,
  NodeSimulator,
  type Servable,
  serveApiServerOverTls,
  type ServedApiServer,
} from "../../src/sandbox/mod.ts";
import { assetsFolder } from "../controlplane/binaries.ts";
import { eventually, Process } from "../controlplane/process.ts";
import { Kit } from "../scenarios/kit.ts";
import { clientOf } from "./cluster.ts";

const world = systemWorld(new MemoryLogger());

/** Lets everything through and notes what is refused. */
function noting(apiServer: ApiServer, refusals: string[]): Servable {
  return {
    serviceAddress: apiServer.serviceAddress,
    closeWatches: () => apiServer.closeWatches(),
    fetch: async (request, certificate) => {
      const response = await apiServer.fetch(request, certificate);
      if (response.status < 400) return response;
      const text = await response.text();
      const { message } = text.startsWith("{") ? JSON.parse(text) : { message: text };
      refusals.push(`${response.status} ${request.method} ${new URL(request.url).pathname}: ${message}`);
      return new Response(text, { status: response.status, headers: response.headers });
    },
  };
}

export class EmbeddedPlane implements AsyncDisposable {
  /** Where kubeconfig, ca.crt, ca.key and sa.key are. */
  readonly folder: string;
  readonly client: Client;
  /** What the server serves behind itself. */
  readonly metrics: MetricsApi;
  /** Requests over TLS that were answered with an error: `404 GET /api/v1/pods: pods "a" not found`. */
  readonly refusals: readonly string[];
  readonly #apiServer: ApiServer;
  readonly #served: ServedApiServer;
  readonly #processes: Process[] = [];
  readonly #stop = new AbortController();
  readonly #informers: InformerFactory;
  readonly #nodes: Promise<void>;

  private constructor({ folder, refusals, apiServer, served, client, untaint }: {
    readonly folder: string;
    readonly refusals: readonly string[];
    readonly apiServer: ApiServer;
    readonly served: ServedApiServer;
    readonly client: Client;
    readonly untaint: boolean;
  }) {
    this.folder = folder;
    this.refusals = refusals;
    this.client = client;
    this.#apiServer = apiServer;
    this.#served = served;
    const informers = this.#informers = new InformerFactory({ world, client, name: "embedded-plane" });
    this.metrics = new MetricsApi({ world, client, informers });
    apiServer.addService({ ...METRICS_SERVICE, fetch: this.metrics.fetch, apiServices: metricsApiServices() });
    this.#nodes = new NodeSimulator({ world, client, informers, nodeCount: 3, untaint }).run(this.#stop.signal);
  }

  /**
   * @param options.untaint Whether nodes take away the taint with which they are admitted; a node lifecycle controller
   * would.
   */
  static async start({ untaint }: { readonly untaint: boolean }): Promise<EmbeddedPlane> {
    const folder = await Deno.makeTempDir({ prefix: "kubeloop-embedded-" });
    const authority = await CertificateAuthority.of(world);
    const apiServer = createApiServer({
      world,
      authentication: "required",
      authorization: "RBAC",
      clientCertificateAuthority: authority.cert,
    });
    const refusals: string[] = [];
    const served = await serveApiServerOverTls({ apiServer: noting(apiServer, refusals), authority });
    const kubeconfig = kubeconfigText({
      server: served.url,
      token: apiServer.adminToken,
      certificateAuthority: authority.cert,
    });
    const files = {
      "kubeconfig": kubeconfig,
      "ca.crt": authority.cert,
      "ca.key": authority.pair.key,
      "sa.key": await apiServer.serviceAccountKey(),
    };
    for (const [name, text] of Object.entries(files)) await Deno.writeTextFile(`${folder}/${name}`, text);
    const { client } = await clientOf(`${folder}/kubeconfig`);
    return new EmbeddedPlane({ folder, refusals, apiServer, served, client, untaint });
  }

  get kubeconfig(): string {
    return `${this.folder}/kubeconfig`;
  }

  /** Starts a program of the control plane that talks to the embedded server; it is ended with it at the latest. */
  async run(name: string, args: readonly string[]): Promise<Process> {
    const kubeconfigs = ["kubeconfig", "authentication-kubeconfig", "authorization-kubeconfig"];
    return this.adopt(
      new Process(name, `${await assetsFolder()}/${name}`, {
        args: [...kubeconfigs.map((flag) => `--${flag}=${this.kubeconfig}`), "--bind-address=127.0.0.1", ...args],
      }),
    );
  }

  /** Ends `process` with the server. */
  adopt(process: Process): Process {
    this.#processes.push(process);
    return process;
  }

  /** Who somebody is to the server, by these credentials alone. */
  async whoami(credentials: Pick<KubeconfigOptions, "token" | "clientCertificate">): Promise<string> {
    const path = `${this.folder}/somebody`;
    const certificateAuthority = await Deno.readTextFile(`${this.folder}/ca.crt`);
    await Deno.writeTextFile(path, kubeconfigText({ server: this.#served.url, certificateAuthority, ...credentials }));
    const { client } = await clientOf(path);
    const { status } = await client.create(SELFSUBJECTREVIEWS, {});
    return status!.userInfo!.username!;
  }

  kit(namespace: string): Kit {
    const patiently = <T>(what: string, condition: () => Promise<T | undefined | false>) =>
      eventually(what, condition, { withinMs: 90_000 });
    return new Kit({ client: this.client, namespace, eventually: patiently });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#processes.reverse().map((process) => process.stop({ signal: "SIGKILL" })));
    this.#stop.abort();
    await this.#nodes;
    await this.#informers.shutdown();
    await this.#served.close();
    this.#apiServer.close();
    await Deno.remove(this.folder, { recursive: true });
  }
}
