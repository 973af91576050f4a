/** Pods, nodes, kubelets, attachers and managers that come, go and fail in any order: what is in use stays where it is. */
import fc from "../fast_check.ts";
import { assert, assertEquals } from "@std/assert";
import { NODES, PODS, VOLUMEATTACHMENTS } from "../../src/api/mod.ts";
import { statusError } from "../unit/controllers/status_errors.ts";
import { attachmentOf, AttachRig, uniqueName } from "../unit/controllers/persistentvolume_attach_detach/rig.ts";

const VOLUMES = ["v", "w", "s"];
/** May be attached to several nodes at once. */
const SHARED = "s";
const NODE_NAMES = ["a", "b", "c"];
const POD_NAMES = ["p", "q", "r", "t"];
const OUT_OF_SERVICE = "node.kubernetes.io/out-of-service";
const TIMEOUT_MS = 360_000;

type Step =
  | { readonly kind: "pod"; readonly pod: number; readonly node: number; readonly volume: number }
  | { readonly kind: "end" | "fail"; readonly pod: number }
  | { readonly kind: "ready" | "ill" | "out" | "in" | "gone" | "kubelet"; readonly node: number }
  | { readonly kind: "attachers" | "restart" | "refuse" | "killed before" | "killed after" }
  | { readonly kind: "wait"; readonly ms: number };

const index = (items: readonly unknown[]) => fc.nat(items.length - 1);
const STEP: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("pod" as const),
      pod: index(POD_NAMES),
      node: index(NODE_NAMES),
      volume: index(VOLUMES),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constantFrom("end" as const, "fail" as const), pod: index(POD_NAMES) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom("ready", "ill", "out", "in", "gone"),
      node: index(NODE_NAMES),
    }) as fc.Arbitrary<Step>,
  },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant("kubelet" as const), node: index(NODE_NAMES) }) },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant("attachers" as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom("restart" as const, "refuse" as const, "killed before" as const, "killed after" as const),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant("wait" as const), ms: fc.constantFrom(50, 600, 5_000, 130_000, 370_000) }),
  },
);

/** What is true on the server, whatever the manager believes. */
class World {
  readonly rig = new AttachRig();
  /** By volume and node: since when no pod there wants it, as a manager could have known. */
  readonly #unwantedMs = new Map<string, number>();
  readonly #ill = new Set<string>();
  readonly #out = new Set<string>();
  /** Where the manager ends at its next write. */
  #death: "killed before" | "killed after" | undefined;
  #refusals = 0;

  constructor() {
    for (const node of NODE_NAMES) this.rig.node(node);
    for (const volume of VOLUMES) this.rig.claim(volume, [volume === SHARED ? "ReadWriteMany" : "ReadWriteOnce"]);
    this.rig.onWrite = (text) => this.#see(text);
  }

  async take(step: Step): Promise<void> {
    const { rig } = this;
    switch (step.kind) {
      case "pod":
        if (!rig.find(PODS, `a/${POD_NAMES[step.pod]}`)) {
          const uid = `${POD_NAMES[step.pod]}-${rig.world.clock.monotonicMs()}`;
          rig.pod(POD_NAMES[step.pod], NODE_NAMES[step.node], [VOLUMES[step.volume]], { uid });
        }
        break;
      case "end":
        rig.remove(PODS, `a/${POD_NAMES[step.pod]}`);
        break;
      case "fail": {
        const pod = rig.find(PODS, `a/${POD_NAMES[step.pod]}`);
        if (pod) rig.put(PODS, { ...pod, status: { phase: "Failed" } });
        break;
      }
      case "ready":
      case "ill":
      case "out":
      case "in":
        this.#change(NODE_NAMES[step.node], step.kind);
        break;
      case "gone":
        rig.remove(NODES, NODE_NAMES[step.node]);
        break;
      case "kubelet":
        this.#report(NODE_NAMES[step.node]);
        break;
      case "attachers":
        this.answer();
        break;
      case "restart":
        await rig.start();
        break;
      case "killed before":
      case "killed after":
        this.#death = step.kind;
        break;
      case "refuse":
        this.#refusals += 3;
        break;
      case "wait":
        await rig.advance(step.ms);
    }
    this.#noteUnwanted();
    await rig.advance(5);
    this.#noteUnwanted();
  }

  /** Attachers do what they are asked to. */
  answer(): void {
    for (const volume of VOLUMES) {
      for (const node of NODE_NAMES) {
        const found = this.rig.attachment(volume, node);
        if (found?.metadata?.deletionTimestamp) this.rig.release(volume, node);
        else if (found && !found.status?.attached) this.rig.answer(volume, node, { attached: true });
      }
    }
  }

  /** Everything gets well, and has the time it needs. */
  async recover(): Promise<void> {
    this.#death = undefined;
    this.#refusals = 0;
    for (const node of NODE_NAMES) for (const kind of ["ready", "in"] as const) this.#change(node, kind);
    for (let i = 0; i < 60; i++) {
      await this.rig.advance(20_000);
      this.answer();
      for (const node of NODE_NAMES) this.#report(node);
      await this.rig.advance(10);
    }
  }

  wants(volume: string, node: string): boolean {
    return this.rig.all(PODS).some(({ spec, status }) =>
      status?.phase !== "Failed" && spec?.nodeName === node && spec.volumes?.some(({ name }) => name === volume)
    );
  }

  #change(node: string, kind: "ready" | "ill" | "out" | "in"): void {
    if (kind === "ill") this.#ill.add(node);
    if (kind === "ready") this.#ill.delete(node);
    if (kind === "out") this.#out.add(node);
    if (kind === "in") this.#out.delete(node);
    const inUse = this.rig.find(NODES, node)?.status?.volumesInUse ?? [];
    this.#write(node, inUse.map((name) => name.split("^")[1]));
  }

  /** A kubelet uses what it was told of, for its pods; one that is ill says nothing. */
  #report(node: string): void {
    if (this.#ill.has(node) || this.#out.has(node) || !this.rig.find(NODES, node)) return;
    const reported = this.rig.reported(node);
    this.#write(node, VOLUMES.filter((volume) => reported.includes(volume) && this.wants(volume, node)));
  }

  #write(node: string, inUse: readonly string[]): void {
    this.rig.node(node, { inUse, isReady: !this.#ill.has(node), taints: this.#out.has(node) ? [OUT_OF_SERVICE] : [] });
  }

  #noteUnwanted(): void {
    const nowMs = this.rig.world.clock.monotonicMs();
    for (const volume of VOLUMES) {
      for (const node of NODE_NAMES) {
        const key = `${volume} ${node}`;
        if (this.wants(volume, node)) this.#unwantedMs.delete(key);
        else if (!this.#unwantedMs.has(key)) this.#unwantedMs.set(key, nowMs);
      }
    }
  }

  #see(text: string): void {
    if (this.#refusals > 0 && !text.startsWith("GET ")) {
      this.#refusals--;
      throw statusError(500, "InternalError");
    }
    for (const volume of VOLUMES) {
      for (const node of NODE_NAMES) {
        if (text === `DELETE volumeattachments ${attachmentOf(volume, node)}`) this.#mayDetach(volume, node);
        if (text === `POST volumeattachments ${attachmentOf(volume, node)}`) this.#mayAttach(volume, node);
      }
    }
    if (text.startsWith("GET ")) return;
    if (this.#death === "killed before") void this.rig.start();
    if (this.#death === "killed after") queueMicrotask(() => void this.rig.start());
    this.#death = undefined;
  }

  #mayDetach(volume: string, node: string): void {
    const found = this.rig.find(NODES, node);
    const isUsed = found?.status?.volumesInUse?.includes(uniqueName(volume)) ?? false;
    const waitedMs = this.rig.world.clock.monotonicMs() - (this.#unwantedMs.get(`${volume} ${node}`) ?? Infinity);
    const isForced = this.#ill.has(node) && waitedMs >= TIMEOUT_MS;
    assert(!isUsed || this.#out.has(node) || isForced, `${volume} is in use on ${node}, and detached`);
    const isReported = found?.status?.volumesAttached?.some(({ name }) => name === uniqueName(volume));
    assert(!isReported, `the kubelet of ${node} was told that ${volume} goes`);
  }

  #mayAttach(volume: string, node: string): void {
    if (volume === SHARED) return;
    for (const other of NODE_NAMES.filter((each) => each !== node)) {
      const { metadata, status } = this.rig.attachment(volume, other) ?? {};
      assert(!status?.attached || metadata?.deletionTimestamp, `${volume} is attached to ${other}, and to ${node}`);
    }
  }
}

/** An error in a handler of writes is an answer to the manager: it is kept until the end. */
async function play(steps: readonly Step[]): Promise<void> {
  const world = new World();
  const { rig } = world;
  const { onWrite } = rig;
  let failure: unknown;
  rig.onWrite = (text) => {
    try {
      onWrite(text);
    } catch (error) {
      if ((error as Error).name === "AssertionError") failure ??= error;
      throw error;
    }
  };
  await using _ = rig;
  await rig.start();
  for (const step of steps) {
    await world.take(step);
    if (failure) throw failure;
  }
  await world.recover();
  if (failure) throw failure;
  for (const node of NODE_NAMES) {
    const wanted = VOLUMES.filter((volume) => world.wants(volume, node));
    const attached = VOLUMES.filter((volume) => rig.attachment(volume, node)?.status?.attached);
    // A volume for one node that several want is on one of them.
    const isContested = (volume: string) =>
      volume !== SHARED && NODE_NAMES.filter((each) => world.wants(volume, each)).length > 1;
    const plain = (volumes: readonly string[]) => volumes.filter((volume) => !isContested(volume)).sort();
    assertEquals([plain(attached), plain(rig.reported(node))], [plain(wanted), plain(wanted)], `on ${node}`);
  }
  assertEquals(rig.all(VOLUMEATTACHMENTS).filter(({ metadata }) => metadata?.deletionTimestamp), []);
}

Deno.test("nothing in use is detached, nothing is attached twice, and in the end everything is where it is wanted", async () => {
  await fc.assert(fc.asyncProperty(fc.array(STEP, { minLength: 5, maxLength: 60 }), play), { numRuns: 150 });
});

Deno.test("a manager that is restarted at any moment of a move detaches nothing in use", async () => {
  const moves: Step[] = [
    { kind: "pod", pod: 0, node: 0, volume: 0 },
    { kind: "attachers" },
    { kind: "kubelet", node: 0 },
    { kind: "pod", pod: 1, node: 1, volume: 0 },
    { kind: "end", pod: 0 },
    { kind: "kubelet", node: 0 },
    { kind: "attachers" },
    { kind: "attachers" },
    { kind: "kubelet", node: 1 },
  ];
  for (const kind of ["restart", "killed before", "killed after", "refuse"] as const) {
    for (let at = 0; at <= moves.length; at++) await play(moves.toSpliced(at, 0, { kind }));
  }
});
