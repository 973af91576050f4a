import { assertEquals } from "@std/assert";
import type { EndpointSubset } from "../../../../src/api/mod.ts";
import { countAddresses, truncatedSubsets } from "../../../../src/controllers/endpoint_subsets/mod.ts";

/** Subsets with so many addresses each, ready and not. */
function subsetsOf(ready: readonly number[], notReady: readonly number[]): EndpointSubset[] {
  const some = (count: number, from: string) => Array.from({ length: count }, (_, i) => ({ ip: `${from}.${i}` }));
  return ready.map((count, i) => ({
    addresses: some(count, `r${i}`),
    notReadyAddresses: some(notReady[i], `n${i}`),
    ports: [{ port: i + 1 }],
  }));
}

function counts(subsets: readonly EndpointSubset[]): number[][] {
  return [
    subsets.map(({ addresses = [] }) => addresses.length),
    subsets.map(({ notReadyAddresses = [] }) => notReadyAddresses.length),
  ];
}

const CASES: readonly (readonly [title: string, ready: number[], notReady: number[], left: number[][]])[] = [
  ["997 and 4", [997], [4], [[997], [3]]],
  ["1000 and 10", [1000], [10], [[1000], [0]]],
  ["1000 and none", [1000], [0], [[1000], [0]]],
  ["too many that are ready", [1200], [1], [[1000], [0]]],
  ["shares of those that are not ready", [90, 110, 50, 10, 20], [101, 200, 200, 201, 298], [[90, 110, 50, 10, 20], [
    73,
    144,
    144,
    145,
    214,
  ]]],
  ["shares of those that are ready", [205, 400, 402, 400, 693], [100, 200, 200, 200, 300], [[98, 191, 192, 191, 328], [
    0,
    0,
    0,
    0,
    0,
  ]]],
  ["no more than there are", [0, 0], [1500, 1], [[0, 0], [1000, 0]]],
];

for (const [title, ready, notReady, left] of CASES) {
  Deno.test(`truncatedSubsets leaves at most 1,000: ${title}`, () => {
    const given = subsetsOf(ready, notReady);
    const truncated = truncatedSubsets(given);
    assertEquals(counts(truncated), left);
    assertEquals(truncated.map(({ ports }) => ports), given.map(({ ports }) => ports));
    assertEquals(truncated[0].addresses?.[0], given[0].addresses?.[0]);
    assertEquals(counts(given), [ready, notReady]);
  });
}

Deno.test("countAddresses counts those of all subsets", () => {
  assertEquals(countAddresses(subsetsOf([1, 2], [3, 4])), { ready: 3, notReady: 7, isTooMany: false });
  assertEquals(countAddresses(subsetsOf([500, 500], [0, 0])).isTooMany, false);
  assertEquals(countAddresses([...subsetsOf([500, 500], [0, 1]), {}]).isTooMany, true);
});
