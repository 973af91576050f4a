/** Quotas of kinds that come and go, and of devices. */
import {
  CUSTOMRESOURCEDEFINITIONS,
  DEVICECLASSES,
  type KubeObject,
  type Resource,
  RESOURCECLAIMS,
  RESOURCEQUOTAS,
  type ResourceV1ResourceClaim,
} from "../../src/api/mod.ts";
import { definitionOf } from "./custom_kind.ts";
import type { Kit } from "./kit.ts";
import { limit, untilCounted, untilCountIsSeen, untilUsed } from "./quota_kit.ts";
import type { Scenario } from "./scenario.ts";

/** A kind of its own for each namespace, so that scenarios beside each other do not meet. */
function widgets({ namespace }: Kit): Resource {
  return { group: `${namespace}.example.com`, version: "v1", plural: "widgets", kind: "Widget", namespaced: true };
}

async function define(kit: Kit, kind: Resource): Promise<void> {
  await kit.create(CUSTOMRESOURCEDEFINITIONS, definitionOf(kind));
  await kit.until(
    CUSTOMRESOURCEDEFINITIONS,
    `widgets.${kind.group}`,
    "is served",
    ({ status }) => status?.conditions?.some(({ type, status }) => type === "Established" && status === "True"),
  );
}

/** The kind is served from a moment on that only trying shows. */
async function createWidget(kit: Kit, kind: Resource, name: string): Promise<void> {
  const widget: KubeObject = { apiVersion: `${kind.group}/v1`, kind: "Widget", metadata: { name } };
  await kit.untilAll(kind, "can be made", async () => {
    try {
      await kit.create(kind, widget);
      return true;
    } catch {
      return false;
    }
  });
}

/** What was discovered after its quota is only measured at the next full round, or when the limits change. */
async function untilMeasured(kit: Kit, name: string): Promise<void> {
  let changes = 0;
  await kit.until(RESOURCEQUOTAS, "a", "is measured", async ({ status }) => {
    if (status?.used?.[name] !== undefined) return true;
    await kit.merge(RESOURCEQUOTAS, "a", { spec: { hard: { configmaps: `10${++changes % 2}` } } });
  });
  await kit.merge(RESOURCEQUOTAS, "a", { spec: { hard: { configmaps: "9" } } });
  await kit.until(RESOURCEQUOTAS, "a", "has its limits", ({ status }) => status?.hard?.configmaps === "9");
}

function deviceClaim(
  name: string,
  requests: NonNullable<ResourceV1ResourceClaim["spec"]["devices"]>["requests"],
): ResourceV1ResourceClaim {
  return {
    apiVersion: "resource.k8s.io/v1",
    kind: "ResourceClaim",
    metadata: { name },
    spec: { devices: { requests } },
  };
}

export const COUNTED_KIND_SCENARIOS: readonly Scenario[] = [
  {
    name: "quota-custom-resources",
    run: async (kit) => {
      const kind = widgets(kit);
      const name = `count/widgets.${kind.group}`;
      await define(kit, kind);
      await createWidget(kit, kind, "x");
      await limit(kit, { hard: { [name]: "100", configmaps: "9" } });
      await untilMeasured(kit, name);
      await kit.merge(RESOURCEQUOTAS, "a", { spec: { hard: { [name]: "3", configmaps: null } } });
      await untilCounted(kit, { [name]: "1" });
      await createWidget(kit, kind, "y");
      await createWidget(kit, kind, "z");
      await untilCountIsSeen(kit, { [name]: "3" });
      await kit.delete(kind, "x");
      await untilUsed(kit, { [name]: "2" });
    },
  },
  {
    name: "quota-custom-resources-gone",
    run: async (kit) => {
      const kind = widgets(kit);
      const name = `count/widgets.${kind.group}`;
      await define(kit, kind);
      await createWidget(kit, kind, "x");
      await limit(kit, { hard: { [name]: "3", configmaps: "9" } });
      await untilMeasured(kit, name);
      await kit.client.delete(CUSTOMRESOURCEDEFINITIONS, { name: `widgets.${kind.group}` });
      await kit.untilGone(CUSTOMRESOURCEDEFINITIONS, `widgets.${kind.group}`);
      await untilUsed(kit, { [name]: "0", configmaps: "1" });
    },
  },
  {
    name: "quota-devices",
    run: async (kit) => {
      const gpu = `${kit.namespace}-gpu`;
      const extended = `${kit.namespace}.example.com/gpu`;
      await kit.create(DEVICECLASSES, {
        apiVersion: "resource.k8s.io/v1",
        kind: "DeviceClass",
        metadata: { name: gpu },
        spec: { extendedResourceName: extended },
      });
      const names = {
        count: "count/resourceclaims.resource.k8s.io",
        devices: `${gpu}.deviceclass.resource.k8s.io/devices`,
        implicit: `requests.deviceclass.resource.kubernetes.io/${gpu}`,
        extended: `requests.${extended}`,
      };
      const all = (count: string, devices: string) => ({
        [names.count]: count,
        [names.devices]: devices,
        [names.implicit]: devices,
        [names.extended]: devices,
      });
      await limit(kit, { hard: all("9", "99") });
      const device = (name: string, more: object) => ({ name, deviceClassName: gpu, ...more });
      await kit.create(
        RESOURCECLAIMS,
        deviceClaim("x", [{ name: "r", exactly: { deviceClassName: gpu, allocationMode: "All" } }]),
      );
      await kit.create(
        RESOURCECLAIMS,
        deviceClaim("y", [{ name: "r", firstAvailable: [device("a", { count: 2 }), device("b", { count: 3 })] }]),
      );
      await untilCountIsSeen(kit, all("2", "35"));
      await kit.delete(RESOURCECLAIMS, "x");
      await untilUsed(kit, all("1", "3"));
    },
  },
];
