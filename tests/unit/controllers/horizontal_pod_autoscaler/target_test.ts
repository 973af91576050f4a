import { assertEquals, assertRejects } from "@std/assert";
import { FakeWorld } from "../../../../src/base/mod.ts";
import {
  apiVersionOf,
  DEPLOYMENTS,
  type KubeObject,
  parseLabelSelector,
  type Resource,
} from "../../../../src/api/mod.ts";
import { Scales } from "../../../../src/controllers/horizontal_pod_autoscaler/target.ts";
import { statusError } from "../status_errors.ts";
import { metrics } from "./fixtures.ts";
import { AutoscalerHarness } from "./harness.ts";

/** What a sync of an autoscaler makes of its target. */

Deno.test("syncAutoscaler refuses a target without a selector, or with another's pods", async () => {
  const harness = new AutoscalerHarness();
  const selector = (text: string) => harness.scale = { ...harness.scale, status: { replicas: 3, selector: text } };
  selector("");
  await assertRejects(() => harness.sync(), Error, "selector is required");
  assertEquals(
    harness.condition("ScalingActive"),
    "False InvalidSelector the HPA target's scale is missing a selector",
  );
  selector("app=x");
  harness.resource = () => metrics(300, 300, 300);
  await harness.sync();
  harness.selectors.register("a/i");
  harness.selectors.register("b/j");
  await harness.sync();
  harness.selectors.set("a/i", parseLabelSelector("app"));
  harness.selectors.set("b/j", parseLabelSelector("app"));
  const message = "pods by selector app=x are controlled by multiple HPAs: [a/h a/i]";
  await assertRejects(() => harness.sync(), Error, message);
  assertEquals(harness.condition("ScalingActive"), `False AmbiguousSelector ${message}`);
  assertEquals(harness.recorder.lines.filter((line) => line.includes("Selector")).map((line) => line.split(" ")[1]), [
    "SelectorRequired",
    "AmbiguousSelector",
  ]);
  harness.selectors.delete("a/i");
  await harness.sync();
});

Deno.test("syncAutoscaler takes no scale whose selector says more than a LabelSelector can, or nothing readable", async () => {
  const rows = [
    ["a in", `couldn't parse the selector string "a in": unable to parse requirement: found '' expected: '('`],
    ["a!=b", '"!=" is not a valid label selector operator'],
    ["a>1", '"gt" isn\'t supported in label selectors'],
  ];
  for (const [text, why] of rows) {
    const harness = new AutoscalerHarness();
    harness.scale = { ...harness.scale, status: { replicas: 3, selector: text } };
    await assertRejects(() => harness.sync());
    const message =
      "the HPA controller was unable to get the target's current scale: received an object from a /scale " +
      `endpoint which was not convertible to autoscaling Scale: failed to parse target selector: ${why}`;
    assertEquals(harness.condition("AbleToScale"), `False FailedGetScale ${message}`);
  }
});

Deno.test("syncAutoscaler tells what keeps it from its target, and whose fault that is", async () => {
  const harness = new AutoscalerHarness();
  harness.spec({ scaleTargetRef: { apiVersion: "a/b/c", kind: "Deployment", name: "d" } });
  const why = "unexpected GroupVersion string: a/b/c";
  await assertRejects(() => harness.sync(), Error, `invalid API version in scale target reference: ${why}`);
  assertEquals(harness.reconciled("none", "spec"), 1);
  harness.spec({ scaleTargetRef: { apiVersion: "x.io/v1", kind: "X", name: "d" } });
  const unknown = 'no matches for kind "X" in group "x.io"';
  await assertRejects(
    () => harness.sync(),
    Error,
    `unable to determine resource for scale target reference: ${unknown}`,
  );
  assertEquals(harness.reconciled("none", "internal"), 1);
  assertEquals(harness.recorder.lines, [`Warning FailedGetScale a/h ${why}`, `Warning FailedGetScale a/h ${unknown}`]);
  assertEquals(
    harness.condition("AbleToScale"),
    `False FailedGetScale the HPA controller was unable to get the target's current scale: ${unknown}`,
  );
});

Deno.test("Scales: a write that conflicts is tried again, five times in all, with what is there then; no other failure is", async () => {
  const harness = new AutoscalerHarness();
  harness.resource = () => metrics(300, 500, 700);
  harness.scaleFailures.push(statusError(409, "Conflict"));
  const syncing = harness.sync();
  await harness.world.clock.advance(100);
  assertEquals(await syncing, 5);
  assertEquals(harness.writes.slice(0, 2), ["put deployments/scale 5 at 1", "put deployments/scale 5 at 2"]);
  harness.showReplicas(3);
  harness.writes.length = 0;
  harness.scaleFailures.push(statusError(500, "InternalError"));
  await assertRejects(() => harness.sync(), Error, "failed to rescale Deployment/a/d: ");
  assertEquals(harness.writes, ["put deployments/scale 5 at 2", "put status"]);
  assertEquals(harness.condition("AbleToScale").split(" ").slice(0, 2), ["False", "FailedUpdateScale"]);
  assertEquals(harness.autoscaler.status?.desiredReplicas, 5, "what was wanted before");
});

/** A scale with all that a server may put into one, and the requests about it. */
function scalesOf(scale: KubeObject & Record<string, unknown>) {
  const requests: { readonly text: string; readonly body?: unknown }[] = [];
  const note = (verb: string, resource: Resource, body?: unknown) =>
    void requests.push({ text: `${verb} ${apiVersionOf(resource)} ${resource.plural}`, body });
  const scales = new Scales({
    world: new FakeWorld(),
    mapper: { resourceFor: () => Promise.resolve({ verbs: [], subresources: ["scale"], ...DEPLOYMENTS }) },
    client: {
      get: <T>(resource: Resource) => (note("get", resource), Promise.resolve(structuredClone(scale) as T)),
      update: <T extends KubeObject>(
        resource: Resource<T>,
        object: T,
      ) => (note("put", resource, object), Promise.resolve(object)),
      request: <T>() =>
        Promise.resolve(
          { resources: [{ name: "deployments/scale", kind: "Scale", group: "autoscaling", version: "v1" }] } as T,
        ),
    },
  });
  return { scales, requests };
}

const SCALE = {
  apiVersion: "autoscaling/v1",
  kind: "Scale",
  metadata: { namespace: "a", name: "d", uid: "u", resourceVersion: "7", annotations: { kept: "yes" } },
  spec: { replicas: 3, more: { of: "it" } },
  status: { replicas: 2, selector: "app=x" },
  extra: [1],
};

Deno.test("Scales: the version in a reference does not matter: the one that the server prefers is asked", async () => {
  for (const version of ["v1", "v1beta1", "v1beta2", "v9"]) {
    const { scales, requests } = scalesOf(SCALE);
    const target = await scales.read("a", { apiVersion: `apps/${version}`, kind: "Deployment", name: "d" });
    await scales.write(target, 5);
    assertEquals(requests.map(({ text }) => text), ["get apps/v1 deployments", "put apps/v1 deployments"], version);
  }
});

Deno.test("Scales: a write carries what was read, but for the number of replicas", async () => {
  const { scales, requests } = scalesOf(SCALE);
  await scales.write(await scales.read("a", { apiVersion: "apps/v1", kind: "Deployment", name: "d" }), 5);
  assertEquals(requests[1].body, { ...SCALE, spec: { ...SCALE.spec, replicas: 5 } });
});
