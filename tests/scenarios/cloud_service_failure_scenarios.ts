/** Balancers of a cloud that fails, under either manager. What fails is tried again after 5 seconds. */
import { SERVICES } from "../../src/api/mod.ts";
import {
  aboutService,
  addCloudService,
  changeAndEnsure,
  changeService,
  type CloudScenario,
  concludeServices,
  failure,
  FAILURES,
  inName,
  linger,
  untilAsked,
  untilBalanced,
  untilEnsured,
  untilService,
} from "./cloud_kit.ts";

/** Failures that a manager tries again after. */
const TRIED_AGAIN = FAILURES.filter((kind) => kind !== "implementedElsewhere");

const FIRST_ENSURE: readonly CloudScenario[] = TRIED_AGAIN.map((kind) => ({
  name: `cloud-service-not-ensured-${inName(kind)}`,
  run: async (kit, cloud) => {
    cloud.fail("ensureLoadBalancer", aboutService(kit), failure(kind), 1);
    await addCloudService(kit);
    await untilBalanced(kit);
    await concludeServices(kit, cloud);
  },
}));

const CHECK: readonly CloudScenario[] = FAILURES.map((kind) => ({
  name: `cloud-service-not-found-out-${inName(kind)}`,
  run: async (kit, cloud) => {
    await addCloudService(kit);
    await untilBalanced(kit);
    cloud.fail("getLoadBalancer", aboutService(kit), failure(kind), 1);
    await kit.delete(SERVICES, "s");
    await kit.untilGone(SERVICES, "s");
    await concludeServices(kit, cloud);
  },
}));

const DELETION: readonly CloudScenario[] = FAILURES.map((kind) => ({
  name: `cloud-service-not-deleted-${inName(kind)}`,
  run: async (kit, cloud) => {
    await addCloudService(kit);
    await untilBalanced(kit);
    cloud.fail("ensureLoadBalancerDeleted", aboutService(kit), failure(kind), 1);
    await kit.delete(SERVICES, "s");
    await kit.untilGone(SERVICES, "s");
    await concludeServices(kit, cloud);
  },
}));

const OTHERS: readonly CloudScenario[] = [
  {
    name: "cloud-service-ensured-elsewhere",
    run: async (kit, cloud) => {
      cloud.fail("ensureLoadBalancer", aboutService(kit), failure("implementedElsewhere"));
      await addCloudService(kit);
      await untilEnsured(kit, cloud, 1);
      await linger(kit);
      await changeAndEnsure(kit, cloud, { metadata: { annotations: { "example.com/a": "1" } } });
      await concludeServices(kit, cloud);
    },
  },
  {
    name: "cloud-service-ensured-elsewhere-deleted",
    run: async (kit, cloud) => {
      cloud.fail("ensureLoadBalancer", aboutService(kit), failure("implementedElsewhere"));
      await addCloudService(kit);
      await untilEnsured(kit, cloud, 1);
      await kit.delete(SERVICES, "s");
      await kit.untilGone(SERVICES, "s");
      await concludeServices(kit, cloud);
    },
  },
  {
    name: "cloud-service-not-ensured-twice",
    run: async (kit, cloud) => {
      cloud.fail("ensureLoadBalancer", aboutService(kit), failure("other"), 2);
      await addCloudService(kit);
      await untilBalanced(kit);
      await concludeServices(kit, cloud);
    },
  },
  {
    name: "cloud-service-asked-to-wait-thrice",
    run: async (kit, cloud) => {
      cloud.fail("ensureLoadBalancer", aboutService(kit), failure("retry"), 3);
      await addCloudService(kit);
      await untilBalanced(kit);
      await concludeServices(kit, cloud);
    },
  },
  {
    name: "cloud-service-changed-while-failing",
    run: async (kit, cloud) => {
      cloud.fail("ensureLoadBalancer", aboutService(kit), failure("other"), 1);
      await addCloudService(kit);
      await untilEnsured(kit, cloud, 1);
      await linger(kit, 5);
      await changeAndEnsure(kit, cloud, { spec: { sessionAffinity: "ClientIP" } });
      await untilBalanced(kit);
      await linger(kit, 70);
      await concludeServices(kit, cloud);
    },
  },
  {
    name: "cloud-service-deleted-while-failing",
    run: async (kit, cloud) => {
      cloud.fail("ensureLoadBalancer", aboutService(kit), failure("other"));
      await addCloudService(kit);
      await untilEnsured(kit, cloud, 1);
      await linger(kit, 5);
      await kit.delete(SERVICES, "s");
      await kit.untilGone(SERVICES, "s");
      await concludeServices(kit, cloud);
    },
  },
  {
    name: "cloud-service-fails-after-it-was-well",
    run: async (kit, cloud) => {
      await addCloudService(kit);
      await untilBalanced(kit);
      cloud.fail("ensureLoadBalancer", aboutService(kit), failure("other"), 1);
      await changeAndEnsure(kit, cloud, { spec: { sessionAffinity: "ClientIP" } });
      await untilEnsured(kit, cloud, 3);
      await concludeServices(kit, cloud);
    },
  },
  {
    name: "cloud-service-type-away-while-failing",
    run: async (kit, cloud) => {
      await addCloudService(kit);
      await untilBalanced(kit);
      cloud.fail("ensureLoadBalancerDeleted", aboutService(kit), failure("other"), 1);
      await changeService(kit, { spec: { type: "ClusterIP", allocateLoadBalancerNodePorts: null } });
      await untilAsked(kit, cloud, { method: "ensureLoadBalancerDeleted", about: aboutService(kit), times: 2 });
      await untilService(kit, "is let go", ({ metadata }) => !metadata?.finalizers);
      await concludeServices(kit, cloud);
    },
  },
  {
    name: "cloud-service-never-deleted",
    run: async (kit, cloud) => {
      await addCloudService(kit);
      await untilBalanced(kit);
      cloud.fail("ensureLoadBalancerDeleted", aboutService(kit), failure("other"));
      await kit.delete(SERVICES, "s");
      await untilAsked(kit, cloud, { method: "ensureLoadBalancerDeleted", about: aboutService(kit) });
      await concludeServices(kit, cloud);
    },
  },
];

export const CLOUD_SERVICE_FAILURE_SCENARIOS: readonly CloudScenario[] = [
  ...FIRST_ENSURE,
  ...CHECK,
  ...DELETION,
  ...OTHERS,
];
