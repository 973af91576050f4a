import { assertEquals } from "@std/assert";
import { zoneKeyOf } from "../../../../src/controllers/nodes/mod.ts";

const OLD = "failure-domain.beta.kubernetes.io";
const NEW = "topology.kubernetes.io";

const CASES: readonly (readonly [labels: Record<string, string> | undefined, key: string])[] = [
  [undefined, ""],
  [{ other: "x" }, ""],
  [{ [`${NEW}/zone`]: "", [`${NEW}/region`]: "" }, ""],
  [{ [`${NEW}/zone`]: "z" }, ":\0:z"],
  [{ [`${NEW}/region`]: "r" }, "r:\0:"],
  [{ [`${NEW}/zone`]: "z", [`${NEW}/region`]: "r" }, "r:\0:z"],
  [{ [`${NEW}/zone`]: "z", [`${OLD}/zone`]: "old", [`${NEW}/region`]: "r" }, "r:\0:old"],
  [{ [`${NEW}/zone`]: "z", [`${OLD}/zone`]: "" }, ""],
];

for (const [labels, key] of CASES) {
  Deno.test(`zoneKeyOf a node with ${JSON.stringify(labels)} is ${JSON.stringify(key)}`, () => {
    assertEquals(zoneKeyOf({ metadata: { name: "n", labels } }), key);
  });
}
