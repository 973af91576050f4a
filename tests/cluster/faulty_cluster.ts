/** A manager in controller groups that can be made to fail, as a test sees it. */
import { parseMetrics } from "../../src/base/mod.ts";
import { fromFileUrl } from "@std/path";
import type { ControlPlane } from "../controlplane/control_plane.ts";
import { FIRST_SIX, KUBELOOP_PERMISSIONS } from "../controlplane/manager.ts";
import { eventually, freePort, Process } from "../controlplane/process.ts";
import { servingFlags } from "../controlplane/serving.ts";
import type { Fault } from "./faults.ts";

const ENTRY = fromFileUrl(new URL("./faulty_manager.ts", import.meta.url));

/** A heap that leaks full soon, with room for some seconds of leaking above the ceiling. */
const V8_FLAGS = "--v8-flags=--max-semi-space-size=8,--heap-growing-percent=30,--max-old-space-size=256";

/** A leak grows as slowly as the machine is busy. */
const LACKS_WITHIN_MS = 300_000;

export class FaultyManager {
  readonly process: Process;
  readonly #control: string;
  readonly #endpoint: string;
  readonly #http: Deno.HttpClient;

  private constructor(process: Process, { control, port, ca }: { control: number; port: number; ca: string }) {
    this.process = process;
    this.#control = `http://127.0.0.1:${control}`;
    this.#endpoint = `https://127.0.0.1:${port}`;
    this.#http = Deno.createHttpClient({ caCerts: [ca] });
  }

  /** Starts it as `user` of the kubeconfig; `groups` as `--controller-groups` takes them. */
  static async start(
    plane: ControlPlane,
    { kubeconfig, groups }: { readonly kubeconfig: string; readonly groups: string },
  ): Promise<FaultyManager> {
    const [control, port] = [freePort(), freePort()];
    const flags = [
      `--kubeconfig=${kubeconfig}`,
      `--secure-port=${port}`,
      "--bind-address=127.0.0.1",
      ...await servingFlags(plane),
      "--authorization-always-allow-paths=/healthz,/readyz,/metrics",
      `--root-ca-file=${plane.rootCaFile}`,
      // Enough to have groups of them: what they do when one fails is the subject.
      `--controllers=${FIRST_SIX}`,
      "--kube-api-qps=2000",
      "--kube-api-burst=4000",
      `--controller-groups=${groups}`,
      // Not what is tried: on a busy machine a lease of 15 s may be lost.
      "--leader-elect-lease-duration=120s",
      "--leader-elect-renew-deadline=100s",
    ];
    const process = plane.adopt(
      new Process("kubeloop", Deno.execPath(), {
        args: ["run", V8_FLAGS, ...KUBELOOP_PERMISSIONS, ENTRY, String(control), ...flags],
      }),
    );
    return new FaultyManager(process, { control, port, ca: plane.authority.cert });
  }

  /** Makes a group fail. */
  async inject(group: string, fault: Fault | "doom"): Promise<void> {
    const response = await fetch(`${this.#control}/${group}/${fault}`, { method: "POST" });
    if (!response.ok) throw new Error(`No ${fault} for group ${group}: ${await response.text()}`);
    await response.body?.cancel();
  }

  async get(path: string): Promise<{ readonly status: number; readonly text: string }> {
    if (this.process.exit) throw new Error(`The manager ended: ${this.process.output.slice(-3000)}`);
    const response = await fetch(this.#endpoint + path, { client: this.#http });
    return { status: response.status, text: await response.text() };
  }

  /** Waits until it says that it is ready. */
  async ready(): Promise<void> {
    await eventually("the manager is ready", async () => (await this.get("/readyz")).status === 200, {
      withinMs: 120_000,
    });
  }

  /** Waits until `/readyz` names a group as down. */
  async lacks(group: string): Promise<void> {
    await eventually(`/readyz says that group ${group} is away`, async () => {
      const { status, text } = await this.get("/readyz");
      if (status === 500 && text.includes(`[-]group-${group} failed`)) return true;
      throw new Error(`${status}: ${text}\n${this.groupLines}`);
    }, { everyMs: 20, withinMs: LACKS_WITHIN_MS });
  }

  /** What the log says of groups. */
  get groupLines(): string {
    return this.process.output.split("\n").filter((line) => line.includes("Controller group")).join("\n");
  }

  /** How often each group has failed, as `GROUP REASON` to a number. */
  async failures(): Promise<Record<string, number>> {
    const { text } = await this.get("/metrics");
    const family = parseMetrics(text).find(({ name }) => name === "kubeloop_group_failures_total");
    return Object.fromEntries(
      (family?.samples ?? []).map(({ labels: { group, reason }, value }) => [`${group} ${reason}`, value]),
    );
  }
}
