/** A manager in a process of its own, and the API server that sees how well it keeps its lease: whoever attacks it has our thread. */
import { connect } from "node:tls";
import { MemoryLogger, systemWorld } from "../../../src/base/mod.ts";
import { createApiServer, kubeconfigText, type Servable, serveApiServer } from "../../../src/sandbox/mod.ts";
import { kubeloopCommand } from "../../controlplane/manager.ts";
import { eventually, freePort, Process } from "../../controlplane/process.ts";

const LEASE = /\/leases\/kube-controller-manager$/;

/** Where a request comes from, and what it shows. */
export interface Sender {
  readonly localAddress?: string;
  readonly token?: string;
  /** A client certificate and its key, in PEM. TLS 1.3 has no room here for one over 16 KiB. */
  readonly certificate?: { readonly cert: string; readonly key: string };
}

export interface AttackedOptions {
  readonly flags?: readonly string[];
  /** What the API server says of who may do what; it lets everybody do everything unless told otherwise. */
  readonly authorization?: "RBAC";
}

export class ManagerUnderAttack implements AsyncDisposable {
  readonly port: number;
  readonly process: Process;
  /** Where its API server is. */
  readonly server: string;
  /** When the lease was renewed, in milliseconds. */
  readonly renewalsMs: number[];
  readonly #end: AsyncDisposableStack;

  private constructor(
    { port, process, server, renewalsMs }: Pick<ManagerUnderAttack, "port" | "process" | "server" | "renewalsMs">,
    end: AsyncDisposableStack,
  ) {
    this.port = port;
    this.process = process;
    this.server = server;
    this.renewalsMs = renewalsMs;
    this.#end = end;
  }

  /** Starts it, and waits until it leads and is ready. */
  static async start({ flags = [], authorization }: AttackedOptions = {}): Promise<ManagerUnderAttack> {
    await using undo = new AsyncDisposableStack();
    const apiServer = createApiServer({ world: systemWorld(new MemoryLogger()), authorization });
    undo.defer(() => apiServer.close());
    const renewalsMs: number[] = [];
    const watched: Servable = {
      closeWatches: () => apiServer.closeWatches(),
      serviceAddress: apiServer.serviceAddress,
      fetch: async (request) => {
        const { method, url } = request;
        const response = await apiServer.fetch(request);
        if (method === "PUT" && LEASE.test(new URL(url).pathname) && response.ok) renewalsMs.push(performance.now());
        return response;
      },
    };
    const served = undo.use(await serveApiServer({ apiServer: watched }));
    const folder = await Deno.makeTempDir({ prefix: "kubeloop-attack-" });
    undo.defer(() => Deno.remove(folder, { recursive: true }));
    const kubeconfig = `${folder}/kubeconfig`;
    await Deno.writeTextFile(kubeconfig, kubeconfigText({ server: served.url }));
    const port = freePort();
    const { program, args } = kubeloopCommand([
      "kube-controller-manager",
      `--kubeconfig=${kubeconfig}`,
      `--authentication-kubeconfig=${kubeconfig}`,
      `--authorization-kubeconfig=${kubeconfig}`,
      "--authentication-skip-lookup",
      "--bind-address=127.0.0.1",
      `--secure-port=${port}`,
      ...flags,
    ]);
    const manager = new ManagerUnderAttack(
      { port, renewalsMs, server: served.url, process: undo.use(new Process("kubeloop", program, { args })) },
      undo.move(),
    );
    try {
      await eventually("the manager leads and is ready", async () => {
        if (manager.process.exit) throw new Error(`it ended: ${manager.process.output.slice(-3000)}`);
        return renewalsMs.length > 0 && (await manager.ask("/readyz")).startsWith("HTTP/1.1 200");
      });
      return manager;
    } catch (error) {
      await manager[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** The longest time between two renewals since `sinceMs`, and from the last one until now. */
  longestGapMs(sinceMs: number): number {
    const before = this.renewalsMs.filter((ms) => ms <= sinceMs).slice(-1);
    const times = [...before, ...this.renewalsMs.filter((ms) => ms > sinceMs), performance.now()];
    return Math.max(...times.slice(1).map((ms, i) => ms - times[i]));
  }

  /** The whole answer; empty if there is none within ten seconds. */
  ask(path: string, { token, ...from }: Sender = {}): Promise<string> {
    const lines = [`GET ${path} HTTP/1.1`, "Host: localhost", "Connection: close"];
    if (token) lines.push(`Authorization: Bearer ${token}`);
    return this.send(`${lines.join("\r\n")}\r\n\r\n`, from);
  }

  /** All that comes back for `text` until the connection ends, which it does within ten seconds. */
  async send(text: string | Uint8Array, { localAddress = "127.0.0.1", certificate }: Omit<Sender, "token"> = {}) {
    const { promise, resolve } = Promise.withResolvers<void>();
    let answer = "";
    // The types leave out what `net.connect` takes, too.
    const options: object = {
      host: "127.0.0.1",
      port: this.port,
      rejectUnauthorized: false,
      localAddress,
      ...certificate && { ...certificate, maxVersion: "TLSv1.2" },
    };
    const socket = connect(options, () => socket.write(text));
    socket.setTimeout(10_000, () => socket.destroy());
    socket.on("data", (chunk) => answer += chunk).on("error", () => {}).on("close", () => resolve());
    await promise;
    return answer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end.disposeAsync();
  }
}
