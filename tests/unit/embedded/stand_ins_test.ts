import { assertEquals, assertThrows } from "@std/assert";
import { serverSettings, standIns } from "../../../src/embedded/mod.ts";
import { FlagError } from "../../../src/manager/mod.ts";
import { Harness } from "../sandbox/apiserver/harness.ts";

Deno.test("standIns: API server and nodes do what a controller does where it does not run", () => {
  const nobody = { server: { aggregatesRoles: true }, nodes: { untaint: true }, trustsNodes: true };
  assertEquals(standIns(new Set()), nobody);
  const running = new Set(["clusterrole-aggregation-controller", "node-lifecycle-controller"]);
  assertEquals(standIns(running), { server: { aggregatesRoles: false }, nodes: { untaint: false }, trustsNodes: true });
  const signing = "certificatesigningrequest-signing-controller";
  assertEquals(standIns(new Set([signing])), nobody, "without approval, no certificate");
  assertEquals(standIns(new Set([signing, "certificatesigningrequest-approving-controller"])), {
    ...nobody,
    trustsNodes: false,
  });
});

Deno.test("serverSettings: the server gets those of a manager's feature gates that it knows", () => {
  const { featureGates } = serverSettings(["--feature-gates=GenericWorkload=true,WorkloadWithJob=true"]);
  assertEquals(featureGates.GenericWorkload, true);
  assertEquals(Object.hasOwn(featureGates, "WorkloadWithJob"), false);
  assertEquals(Object.values(serverSettings([]).featureGates).includes(true), false);
});

Deno.test("serverSettings: the server aggregates roles itself where no controller of these flags does", () => {
  const aggregates = (...flags: string[]) => serverSettings(flags).aggregatesRoles;
  assertEquals(
    [aggregates(), aggregates("--controllers="), aggregates("--controllers=*,-clusterrole-aggregation")],
    [false, true, true],
  );
});

Deno.test("serverSettings: a gate that Kubernetes does not have is refused in one line", () => {
  const error = assertThrows(() => serverSettings(["--feature-gates=FlyingPods=true"]), FlagError);
  assertEquals(error.message.includes("unrecognized feature gate: FlyingPods"), true);
  assertEquals(error.message.split("\n").length, 1);
});

Deno.test("aggregatesRoles: without it the rules of aggregated ClusterRoles are a controller's to write", async () => {
  using server = new Harness({ aggregatesRoles: false });
  const { body } = await server.get("/apis/rbac.authorization.k8s.io/v1/clusterroles/admin");
  assertEquals([body.rules, body.aggregationRule.clusterRoleSelectors.length], [null, 1]);
});
