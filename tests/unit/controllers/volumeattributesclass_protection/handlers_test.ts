import { assertEquals } from "@std/assert";
import type { PersistentVolumeClaim } from "../../../../src/api/mod.ts";
import {
  classesOfClaim,
  classesOfVolume,
} from "../../../../src/controllers/volumeattributesclass_protection/class_names.ts";
import { userHandler } from "../../../../src/controllers/volumeattributesclass_protection/handlers.ts";

function claim(wanted?: string, current?: string, target?: string): PersistentVolumeClaim {
  const modifyVolumeStatus = { targetVolumeAttributesClassName: target, status: "InProgress" };
  return {
    metadata: { namespace: "a", name: "c" },
    spec: { volumeAttributesClassName: wanted },
    status: { currentVolumeAttributesClassName: current, ...target === undefined ? {} : { modifyVolumeStatus } },
  };
}

Deno.test("classesOfClaim names what is asked for, what there is, and what is being made of it", () => {
  assertEquals(classesOfClaim(claim("a", "b", "c")), ["a", "b", "c"]);
  assertEquals(classesOfClaim(claim("a", "a", "")), ["a"]);
  assertEquals(classesOfClaim(claim("")), []);
});

Deno.test("classesOfVolume names the volume's class", () => {
  const names = ["a", "", undefined].map((name) => classesOfVolume({ spec: { volumeAttributesClassName: name } }));
  assertEquals(names, [["a"], [], []]);
});

Deno.test("userHandler queues the classes that are named no more", () => {
  const names: string[] = [];
  const queue = { add: (name: string) => void names.push(name) };
  const handler = userHandler({ kind: "persistentvolumeclaim", queue, classesOf: classesOfClaim });
  assertEquals(handler.onAdd, undefined);
  handler.onUpdate?.(claim("a"), claim("b", "a"));
  assertEquals(names.splice(0), []);
  handler.onUpdate?.(claim("b", "a", "b"), claim("b", "b"));
  assertEquals(names.splice(0), ["a"]);
  handler.onDelete?.(claim("a", "b"));
  assertEquals(names.splice(0), ["a", "b"]);
});
