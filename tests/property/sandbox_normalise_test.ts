import fc from "../fast_check.ts";
import { assertEquals, assertStrictEquals } from "@std/assert";
import { deepCopy } from "../../src/base/mod.ts";
import { normalise, normaliseOwn } from "../../src/sandbox/apiserver/schema/normalise.ts";
import {
  type ScalarType,
  structOf,
  type StructType,
  type ValueType,
} from "../../src/sandbox/apiserver/schema/types.ts";

const raw = fc.jsonValue({ maxDepth: 2 });
const SCALARS: Readonly<Record<ScalarType, fc.Arbitrary<unknown>>> = {
  string: fc.constantFrom("", "a", "b"),
  bytes: fc.constantFrom("", "YQ=="),
  int32: fc.constantFrom(0, 1, -5),
  int64: fc.constantFrom(0, 1, -5),
  number: fc.constantFrom(0, 1.5),
  boolean: fc.boolean(),
  quantity: fc.constantFrom("0", "1000m", "1Gi", "1024Mi", 2),
  intOrString: fc.constantFrom(0, 80, "http", ""),
  time: fc.constantFrom(
    "2026-02-28T00:00:00Z",
    "2026-01-31T01:02:03+01:00",
    "2026-01-01T00:00:00.5Z",
  ),
  microTime: fc.constantFrom("2026-01-01T00:00:00Z", "2026-01-01T00:00:00.123456Z"),
  raw,
};

/** Values of a type as clients send them: any fields, in any order, some of them null or empty. */
function valueOf(type: ValueType, depth: number): fc.Arbitrary<unknown> {
  switch (type.kind) {
    case "scalar":
      return SCALARS[type.scalar];
    case "struct":
      return structValue(type.struct, depth - 1);
    case "list":
      return fc.array(fc.option(valueOf(type.item, depth), { freq: 9 }), { maxLength: 2 });
    case "map":
      return fc.dictionary(fc.constantFrom("b", "a", "c", "__proto__"), valueOf(type.item, depth), { maxKeys: 3 });
    case "either":
      return fc.oneof(structValue(type.struct, depth - 1), fc.boolean());
  }
}

function structValue(struct: StructType, depth: number): fc.Arbitrary<Record<string, unknown>> {
  if (depth <= 0) return fc.constant({});
  const fields = [...struct.fields.values()];
  return fc.shuffledSubarray(fields, { maxLength: Math.min(6, fields.length) }).chain((chosen) =>
    fc.tuple(...chosen.map(({ type }) => fc.option(valueOf(type, depth), { freq: 9 }))).map((values) =>
      Object.fromEntries(chosen.map(({ name }, i): [string, unknown] => [name, values[i]]))
    )
  );
}

for (
  const name of ["core.v1.Pod", "core.v1.PodSpec", "core.v1.Container", "meta.v1.ObjectMeta", "apps.v1.Deployment"]
) {
  const struct = structOf(name)!;

  Deno.test(`normaliseOwn makes of a ${name} what normalise makes of it, and leaves alone what is right`, () => {
    fc.assert(
      fc.property(structValue(struct, 4), (value) => {
        const before = JSON.stringify(value);
        const written = normalise(value, struct);
        assertEquals(JSON.stringify(value), before, "normalise does not change its input");
        const own = normaliseOwn(deepCopy(value), struct);
        assertEquals(JSON.stringify(own), JSON.stringify(written));
        assertStrictEquals(normaliseOwn(own, struct), own);
        assertEquals(JSON.stringify(own), JSON.stringify(written));
      }),
      { numRuns: 300 },
    );
  });
}
