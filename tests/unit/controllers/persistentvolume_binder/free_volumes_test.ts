import { assertEquals } from "@std/assert";
import fc from "../../../fast_check.ts";
import { type PersistentVolume, type PersistentVolumeClaim, Quantity } from "../../../../src/api/mod.ts";
import { FreeVolumes } from "../../../../src/controllers/persistentvolume_binder/free_volumes.ts";

const RWO = "ReadWriteOnce";
const CLAIM: PersistentVolumeClaim = { spec: { accessModes: [RWO], storageClassName: "slow" } };

function volume(name: string, storage: string, { spec, status, metadata }: PersistentVolume = {}): PersistentVolume {
  return {
    metadata: { name, ...metadata },
    spec: { capacity: { storage }, accessModes: [RWO], storageClassName: "slow", ...spec },
    status: { phase: "Available", ...status },
  };
}

function given(free: FreeVolumes, request = "0", claim = CLAIM): string[] {
  return [...free.holding(claim, Quantity.parse(request), RWO)].map(({ metadata }) => metadata?.name ?? "");
}

function freeOf(...volumes: readonly PersistentVolume[]): FreeVolumes {
  const free = new FreeVolumes();
  for (const each of volumes) free.changed(undefined, each);
  return free;
}

Deno.test("FreeVolumes: a volume is free if it is Available, refers to no claim, is not being deleted, and says how much it holds", () => {
  const free = freeOf(
    volume("free", "1Gi"),
    volume("pending", "1Gi", { status: { phase: "Pending" } }),
    volume("taken", "1Gi", { spec: { claimRef: { name: "a" } } }),
    volume("going", "1Gi", { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } }),
    volume("odd", "much"),
  );
  assertEquals(given(free), ["free"]);
});

Deno.test("FreeVolumes: a claim is given those with its class, volume mode and attributes class that have exactly the access modes asked for and hold what it requests, the smallest first", () => {
  const free = freeOf(
    volume("large", "2Ti"),
    volume("small", "1Gi"),
    volume("exact", "2Gi"),
    volume("same", "2048Mi"),
    volume("fast", "2Gi", { spec: { storageClassName: "fast" } }),
    volume("block", "2Gi", { spec: { volumeMode: "Block" } }),
    volume("gold", "2Gi", { spec: { volumeAttributesClassName: "gold" } }),
    volume("shared", "2Gi", { spec: { accessModes: [RWO, "ReadWriteMany"] } }),
  );
  assertEquals(given(free, "2Gi"), ["exact", "same", "large"]);
  assertEquals(given(free, "2Gi", { spec: { ...CLAIM.spec, volumeMode: "Block" } }), ["block"]);
  assertEquals(given(free, "2Gi", { spec: { ...CLAIM.spec, volumeAttributesClassName: "gold" } }), ["gold"]);
  assertEquals(given(free, "3Ti"), []);
});

Deno.test("FreeVolumes: volumes may come and go between two that are given: what has gone by then is not given", () => {
  const sizes = [1, 2, 3, 4].map((gi) => volume(`v${gi}`, `${gi}Gi`));
  const free = freeOf(...sizes);
  const names: (string | undefined)[] = [];
  for (const { metadata } of free.holding(CLAIM, Quantity.ZERO, RWO)) {
    names.push(metadata?.name);
    if (metadata?.name !== "v2") continue;
    for (const each of sizes.slice(0, 3)) free.changed(each, undefined);
    free.changed(undefined, volume("late", "5Gi"));
    free.changed(undefined, volume("early", "1Gi"));
  }
  assertEquals(names, ["v1", "v2", "v4", "late"]);
});

Deno.test("FreeVolumes: whatever has come, changed and gone, those that are there are given by size", () => {
  const change = fc.record({ name: fc.integer({ min: 0, max: 5 }), gi: fc.integer({ min: 0, max: 4 }) });
  fc.assert(fc.property(fc.array(change, { maxLength: 40 }), fc.integer({ min: 1, max: 4 }), (changes, least) => {
    const free = new FreeVolumes();
    const there = new Map<number, number>();
    for (const { name, gi } of changes) {
      const of = (size: number | undefined) => size ? volume(`v${name}`, `${size}Gi`) : undefined;
      free.changed(of(there.get(name)), of(gi));
      there.set(name, gi);
    }
    const wanted = [...there].filter(([, gi]) => gi >= least).map(([, gi]) => gi).sort();
    assertEquals(given(free, `${least}Gi`).map((name) => there.get(Number(name.slice(1)))!), wanted);
  }));
});

Deno.test("FreeVolumes: what was merely rewritten is not given twice", () => {
  const sizes = ["a", "b", "c"].map((name) => volume(name, "1Gi"));
  const free = freeOf(...sizes);
  const names: (string | undefined)[] = [];
  for (const { metadata } of free.holding(CLAIM, Quantity.ZERO, RWO)) {
    names.push(metadata?.name);
    if (metadata?.name !== "b" || names.length > 2) continue;
    for (const each of sizes) free.changed(each, { ...each, metadata: { ...each.metadata, labels: { seen: "yes" } } });
  }
  assertEquals(names, ["a", "b", "c"]);
});
