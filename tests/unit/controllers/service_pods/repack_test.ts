import { assertEquals, assertThrows } from "@std/assert";
import type { EndpointSubset } from "../../../../src/api/mod.ts";
import { repackSubsets, TooManyAddressesError } from "../../../../src/controllers/service_pods/mod.ts";

const [A, B, C] = ["10.0.0.1", "10.0.0.2", "10.0.0.3"].map((ip) => ({ ip }));
const [HTTP, DNS] = [{ name: "http", port: 80, protocol: "TCP" }, { name: "dns", port: 53, protocol: "UDP" }];

function repack(subsets: readonly EndpointSubset[]): EndpointSubset[] {
  const steps = repackSubsets(subsets);
  for (let step = steps.next();; step = steps.next()) if (step.done) return step.value;
}

/** In an order that does not go by hashes. */
function sorted(subsets: readonly EndpointSubset[]): string[] {
  return subsets.map((subset) => JSON.stringify(subset)).sort();
}

Deno.test("repackSubsets brings equal endpoints into one form", () => {
  const cases: readonly (readonly [EndpointSubset[], EndpointSubset[]])[] = [
    [[], []],
    [[{ ports: [HTTP] }], []],
    [[{ addresses: [B, A, A], ports: [HTTP] }], [{ addresses: [A, B], ports: [HTTP] }]],
    [[{ addresses: [A], ports: [HTTP] }, { addresses: [B], ports: [HTTP] }], [{ addresses: [A, B], ports: [HTTP] }]],
    [[{ addresses: [A, B], notReadyAddresses: [B, C], ports: [HTTP] }], [{
      addresses: [A],
      notReadyAddresses: [B, C],
      ports: [HTTP],
    }]],
    [[{ addresses: [A] }, { addresses: [B] }], [{ addresses: [A, B] }]],
    [
      [{ addresses: [A, B], ports: [HTTP] }, { addresses: [A], ports: [DNS] }],
      [{ addresses: [A, B], ports: [HTTP] }, { addresses: [A], ports: [DNS] }],
    ],
  ];
  for (const [subsets, expected] of cases) {
    assertEquals(sorted(repack(subsets)), sorted(expected));
    assertEquals(repack(repack(subsets)), repack(subsets), "once is enough");
    assertEquals(repack(subsets.toReversed()), repack(subsets), "whatever the order");
  }
});

Deno.test("repackSubsets puts ports with the same addresses together", () => {
  const [one, ...others] = repack([{ addresses: [A], ports: [HTTP] }, { addresses: [A], ports: [DNS] }]);
  assertEquals([others.length, one.addresses, one.ports?.map(({ name }) => name).sort()], [0, [A], ["dns", "http"]]);
});

Deno.test("repackSubsets tells addresses with one IP apart by their targets", () => {
  const of = (uid: string) => ({ ip: A.ip, targetRef: { uid } });
  const [{ addresses }] = repack([{ addresses: [of("2"), of("1"), A], ports: [HTTP] }]);
  assertEquals(addresses, [A, of("1"), of("2")]);
});

Deno.test("repackSubsets gives up where a few ports and addresses multiply to more than anybody could write", () => {
  const addresses = Array.from({ length: 2000 }, (_, i) => ({ ip: `10.0.${i >> 8}.${i & 255}` }));
  const port = (i: number) => ({ port: i + 1, protocol: "TCP" });
  const subsets = [
    { addresses, ports: Array.from({ length: 2000 }, (_, i) => port(i)) },
    ...Array.from({ length: 2000 }, (_, i) => ({ addresses: [{ ip: `10.9.${i >> 8}.${i & 255}` }], ports: [port(i)] })),
  ];
  assertThrows(() => repack(subsets), TooManyAddressesError, "more than 1000000 addresses");
});
