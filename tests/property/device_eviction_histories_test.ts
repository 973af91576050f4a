/** Random histories of taints, tolerations, claims and pods: nobody is evicted whom the rules would spare, and nobody twice. */
import { assert, assertEquals } from "@std/assert";
import fc from "../fast_check.ts";
import type { DeviceTaint, Pod } from "../../src/api/mod.ts";
import {
  claimOf,
  DeviceRig,
  rule,
  slice,
  taint,
  tolerated,
  user,
} from "../unit/controllers/device_taint_eviction/rig.ts";

const DEVICES = ["d", "e", "f"];
const PODS = ["p", "q", "r", "s"];

type Step =
  | { readonly type: "wait"; readonly seconds: number }
  | { readonly type: "taint"; readonly devices: readonly number[]; readonly agoSeconds: number }
  | { readonly type: "rule"; readonly device: number | undefined; readonly isOn: boolean }
  | {
    readonly type: "claim";
    readonly pod: number;
    readonly device: number;
    readonly tolerance: number | "for good" | "no";
  }
  | { readonly type: "free"; readonly pod: number }
  | { readonly type: "replace"; readonly pod: number };

const [pod, device] = [fc.integer({ min: 0, max: PODS.length - 1 }), fc.integer({ min: 0, max: DEVICES.length - 1 })];

const STEP: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ type: fc.constant("wait" as const), seconds: fc.integer({ min: 0, max: 30 }) }),
  fc.record({
    type: fc.constant("taint" as const),
    devices: fc.uniqueArray(device),
    agoSeconds: fc.integer({ min: -20, max: 20 }),
  }),
  fc.record({ type: fc.constant("rule" as const), device: fc.option(device, { nil: undefined }), isOn: fc.boolean() }),
  fc.record({
    type: fc.constant("claim" as const),
    pod,
    device,
    tolerance: fc.oneof(
      fc.integer({ min: 0, max: 40 }),
      fc.constant("for good" as const),
      fc.constant("no" as const),
    ),
  }),
  fc.record({ type: fc.constant("free" as const), pod }),
  fc.record({ type: fc.constant("replace" as const), pod }),
);

/** What is known of the world, by the rules alone. */
class Model {
  readonly rig: DeviceRig;
  taints: Readonly<Record<string, readonly DeviceTaint[]>> = {};
  readonly rules = new Set<string>();
  readonly claims = new Map<string, { readonly device: string; readonly tolerance: number | "for good" | "no" }>();
  readonly uids = new Map<string, string>();
  #uids = 0;

  constructor(rig: DeviceRig) {
    this.rig = rig;
  }

  pod(name: string): Pod {
    const uid = `${name}.${++this.#uids}`;
    this.uids.set(name, uid);
    return user(name, { uid });
  }

  /** When a pod's time is over, in milliseconds of the wall clock; `Infinity` if it is spared. */
  dueMs(name: string): number {
    const claim = this.claims.get(name);
    if (!claim || claim.tolerance === "for good") return Infinity;
    const since = (this.taints[claim.device] ?? []).map(({ timeAdded }) => Date.parse(timeAdded!));
    if (this.rules.has("*") || this.rules.has(claim.device)) since.push(Date.parse("2025-01-01T00:00:00Z"));
    return Math.min(...since) + (claim.tolerance === "no" ? 0 : claim.tolerance * 1000);
  }
}

function take(step: Step, model: Model): void {
  const { rig } = model;
  if (step.type === "taint") {
    const tainted = (name: string, i: number) =>
      [name, step.devices.includes(i) ? [taint(rig, { agoSeconds: step.agoSeconds })] : []] as const;
    model.taints = Object.fromEntries(DEVICES.map(tainted));
    rig.slices.set(slice(model.taints));
  } else if (step.type === "rule") {
    const name = step.device === undefined ? "*" : DEVICES[step.device];
    if (step.isOn) {
      model.rules.add(name);
      rig.rules.set(rule(`rule.${name}`, "NoExecute", step.device === undefined ? {} : { device: name }));
    } else {
      model.rules.delete(name);
      rig.rules.remove(`rule.${name}`);
    }
  } else if (step.type === "claim") {
    const [name, device] = [PODS[step.pod], DEVICES[step.device]];
    const { tolerance } = step;
    model.claims.set(name, { device, tolerance });
    const tolerations = tolerance === "no" ? [] : [tolerated(tolerance === "for good" ? undefined : tolerance)];
    // Devices of a claim never change: it is another one.
    rig.claims.remove(`a/${name}`);
    rig.claims.set(claimOf(name, { device, tolerations, uid: model.uids.get(name) }));
  } else if (step.type === "free") {
    model.claims.delete(PODS[step.pod]);
    rig.claims.remove(`a/${PODS[step.pod]}`);
  } else if (step.type === "replace") {
    const name = PODS[step.pod];
    rig.pods.remove(`a/${name}`);
    rig.pods.set(model.pod(name)); // its claim, if it has one, is still reserved for the former
    model.claims.delete(name);
  }
}

Deno.test("Evictions from devices: only pods whose time is over are evicted, all of them, and none twice", () =>
  fc.assert(
    fc.asyncProperty(fc.array(STEP, { maxLength: 25 }), async (steps) => {
      await using rig = new DeviceRig();
      rig.removesDeleted = false;
      const model = new Model(rig);
      for (const name of PODS) rig.pods.set(model.pod(name));
      let seen = 0;
      const check = () => {
        const nowMs = rig.world.clock.wallMs();
        for (const call of rig.calls.filter((each) => each.startsWith("DELETE")).slice(seen)) {
          seen++;
          const [, name, uid] = call.split(" ");
          assertEquals(uid, model.uids.get(name), `${name} that was evicted is another one`);
          assert(model.dueMs(name) <= nowMs, `${name} was evicted before its time`);
        }
      };
      for (const step of [...steps, { type: "wait", seconds: 10 } as const]) {
        take(step, model);
        // Step by step, so that nobody's time is over and taken back between two looks.
        for (let second = 0; second < (step.type === "wait" ? step.seconds : 0); second++) {
          await rig.seconds(1);
          check();
        }
        await rig.seconds(0);
        await rig.world.clock.advance(0);
        check();
      }
      const deleted = rig.calls.filter((call) => call.startsWith("DELETE"));
      assertEquals(new Set(deleted).size, deleted.length, "one was evicted twice");
      for (const name of PODS) {
        const isOver = model.dueMs(name) < rig.world.clock.wallMs() - 2000;
        const isGone = deleted.some((call) => call.endsWith(` ${model.uids.get(name)}`));
        assert(!isOver || isGone, `${name} should have been evicted`);
      }
    }),
    { numRuns: 200 },
  ));
