import { assertEquals } from "@std/assert";
import type { ResourceSlice } from "../../../../src/api/mod.ts";
import { TaintedDevices } from "../../../../src/controllers/device_taint_eviction/tainted_devices.ts";
import { DRIVER, slice } from "./rig.ts";

const A = { key: "a", effect: "NoExecute" };
const B = { key: "b", effect: "NoExecute" };
const key = (device: string, pool = "p") => `${DRIVER}/${pool}/${device}`;

class Rig {
  readonly devices = new TaintedDevices();
  readonly #slices = new Map<string, ResourceSlice>();

  /** @returns Names of the devices that have changed. */
  set(after: ResourceSlice): string[] {
    const name = after.metadata!.name!;
    const changed = this.devices.change(this.#slices.get(name), after);
    this.#slices.set(name, after);
    return changed.map((each) => each.split("/").at(-1)!).sort();
  }

  remove(name: string): string[] {
    const changed = this.devices.change(this.#slices.get(name), undefined);
    this.#slices.delete(name);
    return changed.map((each) => each.split("/").at(-1)!).sort();
  }

  of(device: string): string[] {
    return this.devices.taintsOf(key(device)).map((taint) => taint.key);
  }
}

Deno.test("TaintedDevices: of a pool only the slices of the highest generation count", () => {
  const rig = new Rig();
  rig.set(slice({ d: [A], e: [A] }, { name: "one", generation: 1 }));
  assertEquals(rig.set(slice({ d: [B] }, { name: "two", generation: 2 })), ["d", "e"]);
  assertEquals([rig.of("d"), rig.of("e")], [["b"], []]);
  assertEquals(rig.devices.isCurrent(slice({}, { generation: 1 })), false);
  assertEquals(rig.devices.isCurrent(slice({}, { generation: 2 })), true);
  assertEquals(rig.remove("two"), ["d", "e"], "the next lower generation counts again");
  assertEquals([rig.of("d"), rig.of("e")], [["a"], ["a"]]);
});

Deno.test("TaintedDevices: only taints with the effect `NoExecute` are kept, and nothing of devices without any", () => {
  const rig = new Rig();
  const others = ["NoSchedule", "None", "Unheard"].map((effect) => ({ key: "a", effect }));
  assertEquals(rig.set(slice({ d: others, e: [], f: [...others, B] })), ["f"]);
  assertEquals([rig.of("d"), rig.of("f"), rig.devices.size], [[], ["b"], { pools: 1, devices: 1 }]);
});

Deno.test("TaintedDevices: each change names the devices whose taints differ from before, and no other device", () => {
  const rig = new Rig();
  rig.set(slice({ d: [A], e: [A], f: [] }));
  assertEquals(rig.set(slice({ d: [A], e: [A], f: [] })), []);
  assertEquals(rig.set(slice({ d: [A, B], e: [A], f: [A] })), ["d", "f"]);
  assertEquals(
    rig.set(slice({ d: [A, B], e: [A], f: [A] }, { generation: 7 })),
    [],
    "a generation alone changes nothing",
  );
  assertEquals(
    rig.set(slice({ d: [{ ...A, timeAdded: "2026-01-01T00:00:00Z" }, B], e: [A], f: [A] }, { generation: 7 })),
    [
      "d",
    ],
  );
});

Deno.test("TaintedDevices: a device that several slices of a generation taint has the taints of the one that came first", () => {
  const rig = new Rig();
  rig.set(slice({ d: [A] }, { name: "one" }));
  rig.set(slice({ d: [B] }, { name: "two" }));
  assertEquals(rig.of("d"), ["a"]);
  rig.remove("one");
  assertEquals(rig.of("d"), ["b"]);
});

Deno.test("TaintedDevices: a pool without slices is forgotten", () => {
  const rig = new Rig();
  rig.set(slice({ d: [A] }));
  assertEquals(rig.set(slice({ d: [A] }, { pool: "q" })), ["d", "d"], "one pool loses it, the other gets it");
  assertEquals(rig.devices.size, { pools: 1, devices: 1 });
  rig.remove("s");
  assertEquals(rig.devices.size, { pools: 0, devices: 0 });
});

Deno.test("TaintedDevices takes in pools of 1000 slices with 128 tainted devices each within seconds", () => {
  const rig = new Rig();
  const devices = Object.fromEntries(Array.from({ length: 128 }, (_, i) => [`d${i}`, [A]]));
  const begunMs = performance.now();
  for (let i = 0; i < 1000; i++) rig.set(slice(devices, { name: `s${i}`, pool: `p${i % 10}` }));
  const tookMs = performance.now() - begunMs;
  assertEquals(tookMs < 20_000, true, `${tookMs} ms`);
});
