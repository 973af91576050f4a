import { assertEquals, assertThrows } from "@std/assert";
import {
  addAmounts,
  type Amounts,
  amountsText,
  excessAmounts,
  filterAmounts,
  formatAmounts,
  maxAmounts,
  parseAmounts,
  sameAmounts,
} from "../../../src/rules/mod.ts";
import { QuantityError } from "../../../src/api/mod.ts";

const A = parseAmounts({ cpu: "500m", memory: "1Gi" });
const B = parseAmounts({ cpu: 1, pods: "3" });

const TABLE: readonly { readonly what: string; readonly amounts: Amounts; readonly text: string }[] = [
  { what: "parseAmounts reads none from nothing", amounts: parseAmounts(undefined), text: "" },
  { what: "addAmounts has what either has", amounts: addAmounts(A, B), text: "cpu=1500m,memory=1Gi,pods=3" },
  { what: "maxAmounts has the larger of each", amounts: maxAmounts(A, B), text: "cpu=1,memory=1Gi,pods=3" },
  { what: "excessAmounts is never negative", amounts: excessAmounts(A, B), text: "cpu=0,memory=1Gi,pods=0" },
  { what: "excessAmounts has what is over", amounts: excessAmounts(B, A), text: "cpu=500m,memory=0,pods=3" },
  { what: "filterAmounts keeps what is wanted", amounts: filterAmounts(A, (name) => name === "cpu"), text: "cpu=500m" },
];

for (const { what, amounts, text } of TABLE) {
  Deno.test(what, () => assertEquals(amountsText(amounts), text));
}

Deno.test("formatAmounts writes canonical quantities in the order of names", () => {
  const written = formatAmounts(parseAmounts({ pods: 2, cpu: "1000m", memory: "1024Mi" }));
  assertEquals(Object.entries(written), [["cpu", "1"], ["memory", "1Gi"], ["pods", "2"]]);
});

Deno.test("sameAmounts compares by value, and the resources", () => {
  assertEquals(sameAmounts(A, parseAmounts({ memory: "1024Mi", cpu: "0.5" })), true);
  assertEquals(sameAmounts(A, parseAmounts({ cpu: "0.5" })), false);
  assertEquals(sameAmounts(A, parseAmounts({ cpu: "0.5", pods: "1Gi" })), false);
  assertEquals(sameAmounts(A, parseAmounts({ cpu: "0.6", memory: "1Gi" })), false);
});

Deno.test("parseAmounts refuses what is not a quantity", () => {
  assertThrows(() => parseAmounts({ cpu: "a lot" }), QuantityError);
});
