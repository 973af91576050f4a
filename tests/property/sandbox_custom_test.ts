import { assertEquals } from "@std/assert";
import fc from "../fast_check.ts";
import type { JSONSchemaProps } from "../../src/api/mod.ts";
import { deepCopy, deepEqual } from "../../src/base/mod.ts";
import { widgets } from "../unit/sandbox/apiserver/custom/definitions.ts";
import { applyDefaults, dropNulls } from "../../src/sandbox/apiserver/custom/defaults.ts";
import { compileSchema } from "../../src/sandbox/apiserver/custom/compile.ts";
import { CustomVersion } from "../../src/sandbox/apiserver/custom/version.ts";
import { Findings } from "../../src/sandbox/apiserver/custom/checks.ts";
import { prune } from "../../src/sandbox/apiserver/custom/prune.ts";
import { structuralOf } from "../../src/sandbox/apiserver/custom/structural.ts";
import { isSettled } from "../../src/sandbox/apiserver/custom/settled.ts";

const name = fc.constantFrom("a", "b", "c", "kind", "metadata", "__proto__", "constructor");

/** Values that have something of every schema below. */
const { value } = fc.letrec<{ value: unknown; leaf: unknown }>((tie) => ({
  leaf: fc.oneof(fc.constant(null), fc.boolean(), fc.integer({ min: -3, max: 9 }), fc.constantFrom("", "x", "yy")),
  value: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    tie("leaf"),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.array(fc.tuple(name, tie("value")), { maxLength: 3 }).map((entries) => JSON.parse(objectText(entries))),
  ),
}));

/** As it comes from a body: the parser makes own members of any name. */
function objectText(entries: readonly (readonly [string, unknown])[]): string {
  const members = new Map(entries.map(([key, one]) => [key, JSON.stringify(one)]));
  return `{${[...members].map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(",")}}`;
}

const flag = (key: string) => fc.boolean().map((on) => on ? { [key]: true } : {});

/** Schemas that are structural: with defaults that fit, maps, lists, preserved and embedded parts. */
const { schema } = fc.letrec<{ schema: JSONSchemaProps }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    fc.record({ nullable: fc.boolean(), default: fc.option(fc.constantFrom("", "x"), { nil: undefined }) })
      .map((one) => ({ type: "string", maxLength: 1, ...one })),
    fc.record({ default: fc.option(fc.integer({ min: 0, max: 5 }), { nil: undefined }) })
      .map((one) => ({ type: "integer", minimum: 0, ...one })),
    fc.tuple(tie("schema"), flag("nullable")).map(([items, marks]) => ({ type: "array", items, ...marks })),
    tie("schema").map((additionalProperties) => ({ type: "object", additionalProperties })),
    fc.tuple(
      fc.dictionary(name.filter((one) => one !== "__proto__"), tie("schema"), { maxKeys: 3 }),
      flag("x-kubernetes-preserve-unknown-fields"),
      flag("nullable"),
    ).map(([properties, ...marks]) => Object.assign({ type: "object", properties }, ...marks)),
  ),
}));

/** A schema and an object of any shape. */
const pair = fc.tuple(schema, value).map(([spec, one]) => ({
  structural: structuralOf({ type: "object", properties: { spec } }),
  schema: spec,
  object: { spec: one },
}));

Deno.test("prune of what was pruned changes nothing", () => {
  fc.assert(fc.property(pair, ({ structural, object }) => {
    const once = deepCopy(object);
    prune(once, structural);
    const twice = deepCopy(once);
    const unknown: string[] = [];
    prune(twice, structural, "", unknown);
    assertEquals(unknown, []);
    assertEquals(twice, once);
  }));
});

Deno.test("applyDefaults is idempotent, and what has its defaults and no strangers is settled", () => {
  fc.assert(fc.property(pair, ({ structural, object }) => {
    const once = deepCopy(object);
    const settle = (one: object) => {
      prune(one, structural);
      dropNulls(one, structural);
      applyDefaults(one, structural);
    };
    settle(once);
    const twice = deepCopy(once);
    settle(twice);
    assertEquals(twice, once);
  }));
});

Deno.test("isSettled never says so of what pruning or defaulting would change", () => {
  fc.assert(fc.property(pair, ({ structural, object }) => {
    const after = deepCopy(object);
    prune(after, structural);
    dropNulls(after, structural);
    applyDefaults(after, structural);
    fc.pre(!deepEqual(after, object));
    assertEquals(isSettled(object, structural, true), false);
  }));
});

Deno.test("CustomVersion finds an object that is right still right after it was written and read again", () => {
  fc.assert(fc.property(schema, value, (spec, one) => {
    const definition = widgets({ field: spec });
    const version = new CustomVersion(definition, definition.spec.versions[0]);
    const object = version.read({ metadata: { name: "w" }, spec: { field: one } });
    const again = version.read(JSON.parse(JSON.stringify(object)));
    assertEquals(again, object);
    const count = (checked: unknown) => {
      const found = new Findings();
      compileSchema(definition.spec.versions[0].schema!.openAPIV3Schema!)(checked, "", found);
      return found.problems.length;
    };
    assertEquals(count(again), count(object));
    assertEquals(version.view(object), object);
  }));
});
