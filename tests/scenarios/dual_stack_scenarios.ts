/** Services of two families of addresses, on a server with a range of each and under either manager. */
import {
  CONFIGMAPS,
  ENDPOINTS,
  type EndpointSlice,
  ENDPOINTSLICES,
  SERVICES,
  type ServiceSpec,
} from "../../src/api/mod.ts";
import { createServedPod, createService, removeServedPod, sayOfPod, textOfSubset } from "./endpoints_kit.ts";
import type { Kit } from "./kit.ts";
import type { Scenario } from "./scenario.ts";
import { ensureNodes } from "./slice_kit.ts";

/** `IPv4 10.1.0.1 !10.1.0.2`, for each slice. */
function textOf({ addressType, endpoints = [] }: EndpointSlice): string {
  const texts = (endpoints ?? []).map(({ addresses, conditions }) => `${conditions?.ready ? "" : "!"}${addresses}`);
  return [addressType, ...texts.sort()].join(" ");
}

/** Waits until the Service's slices are these, and its Endpoints have these subsets, and writes down what else they say. */
async function untilServed(
  kit: Kit,
  name: string,
  slices: readonly string[],
  subsets: readonly string[],
): Promise<void> {
  const wanted = slices.toSorted().join("; ");
  const found = await kit.untilAll(
    ENDPOINTSLICES,
    `are ${wanted}`,
    (all) => all.map(textOf).sort().join("; ") === wanted,
  );
  const { metadata } = await kit.until(
    ENDPOINTS,
    "s",
    `have ${subsets}`,
    (endpoints) => (endpoints.subsets ?? []).map(textOfSubset).sort().join("; ") === subsets.toSorted().join("; "),
  );
  const told = found.map(({ metadata, addressType, ports, endpoints }) => ({
    addressType,
    labels: metadata?.labels,
    ports,
    endpoints: endpoints?.map(({ conditions, targetRef, nodeName }) => [conditions, targetRef?.name, nodeName])
      .sort((a, b) => JSON.stringify(a) < JSON.stringify(b) ? -1 : 1),
  })).sort((a, b) => a.addressType < b.addressType ? -1 : 1);
  const data = { slices: JSON.stringify(told), labels: JSON.stringify(metadata?.labels) };
  await kit.create(CONFIGMAPS, { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data });
}

/** On a node that is there: pods of others are in no slice. */
async function addPods(kit: Kit): Promise<void> {
  await ensureNodes(kit);
  const spec = { nodeName: "slice-a" };
  await createServedPod(kit, "both", { spec, ips: ["10.1.0.1", "fd00::1"] });
  await createServedPod(kit, "six-first", { spec, ips: ["fd00::2", "10.1.0.2"] });
  await createServedPod(kit, "four", { spec, ips: ["10.1.0.3"] });
  await createServedPod(kit, "six", { spec, ips: ["fd00::4"], ready: false });
}

const FOUR = "IPv4 10.1.0.1 10.1.0.2 10.1.0.3";
const SIX = "IPv6 !fd00::4 fd00::1 fd00::2";
const ENDPOINTS_OF_FOUR = ["10.1.0.1 10.1.0.2 10.1.0.3 :80/TCP:http"];
const ENDPOINTS_OF_SIX = ["fd00::1 fd00::2 !fd00::4 :80/TCP:http"];

async function change(kit: Kit, spec: Partial<ServiceSpec> | Record<string, unknown>): Promise<void> {
  await kit.merge(SERVICES, "s", { spec });
}

/** A Service as it is made, and what it has at its beginning. */
function made(
  name: string,
  spec: Partial<ServiceSpec>,
  { slices, subsets }: { readonly slices: readonly string[]; readonly subsets: readonly string[] },
): Scenario {
  return {
    name,
    run: async (kit) => {
      await createService(kit, spec);
      await addPods(kit);
      await untilServed(kit, "seen", slices, subsets);
    },
  };
}

export const DUAL_STACK_SCENARIOS: readonly Scenario[] = [
  made("families-single-by-default", {}, { slices: [FOUR], subsets: ENDPOINTS_OF_FOUR }),
  made("families-single-six", { ipFamilies: ["IPv6"] }, { slices: [SIX], subsets: ENDPOINTS_OF_SIX }),
  made("families-both-preferred", { ipFamilyPolicy: "PreferDualStack" }, {
    slices: [FOUR, SIX],
    subsets: ENDPOINTS_OF_FOUR,
  }),
  made("families-both-six-first", { ipFamilyPolicy: "RequireDualStack", ipFamilies: ["IPv6", "IPv4"] }, {
    slices: [FOUR, SIX],
    subsets: ENDPOINTS_OF_SIX,
  }),
  made("families-both-headless", { ipFamilyPolicy: "RequireDualStack", clusterIP: "None" }, {
    slices: [FOUR, SIX],
    subsets: ENDPOINTS_OF_FOUR,
  }),
  {
    name: "families-come-and-go",
    run: async (kit) => {
      await createService(kit);
      await addPods(kit);
      await untilServed(kit, "single", [FOUR], ENDPOINTS_OF_FOUR);
      await change(kit, { ipFamilyPolicy: "RequireDualStack" });
      await untilServed(kit, "dual", [FOUR, SIX], ENDPOINTS_OF_FOUR);
      await sayOfPod(kit, "six", { ips: ["fd00::4"], ready: true, since: 3 });
      await removeServedPod(kit, "six-first");
      await untilServed(kit, "changed", ["IPv4 10.1.0.1 10.1.0.3", "IPv6 fd00::1 fd00::4"], [
        "10.1.0.1 10.1.0.3 :80/TCP:http",
      ]);
      const { spec } = await kit.get(SERVICES, "s");
      await change(kit, { ipFamilyPolicy: "SingleStack", ipFamilies: ["IPv4"], clusterIPs: [spec!.clusterIP] });
      await untilServed(kit, "single-again", ["IPv4 10.1.0.1 10.1.0.3"], ["10.1.0.1 10.1.0.3 :80/TCP:http"]);
    },
  },
  {
    name: "families-without-selector",
    run: async (kit) => {
      await createService(kit, { ipFamilyPolicy: "PreferDualStack", selector: undefined });
      await kit.create(ENDPOINTS, {
        apiVersion: "v1",
        kind: "Endpoints",
        metadata: { name: "s" },
        subsets: [{
          addresses: [{ ip: "10.1.0.1" }, { ip: "fd00::1" }],
          ports: [{ name: "http", port: 80, protocol: "TCP" }],
        }],
      });
      await untilServed(kit, "mirrored", ["IPv4 10.1.0.1", "IPv6 fd00::1"], ["10.1.0.1 fd00::1 :80/TCP:http"]);
    },
  },
];
