import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import {
  newControllerRef,
  type Pod,
  PODS,
  type PodTemplateSpec,
  type ReplicaSet,
  REPLICASETS,
} from "../../../../src/api/mod.ts";
import { PodControl, podFromTemplate, podNamePrefix } from "../../../../src/controllers/pods/mod.ts";
import { FakeRecorder } from "../fake_recorder.ts";
import { RecordedClient } from "../recorded_client.ts";
import { namespaceTerminating, statusError } from "../status_errors.ts";

const PARENT: ReplicaSet = { metadata: { namespace: "a", name: "r", uid: "uid-r" } };
const TEMPLATE: PodTemplateSpec = {
  metadata: {
    name: "ignored",
    labels: { app: "x" },
    annotations: { note: "n" },
    finalizers: ["example.com/f"],
    creationTimestamp: "2026-01-01T00:00:00Z",
  },
  spec: {
    containers: [{ name: "c", image: "i" }],
    tolerations: [{ key: "k", effect: "NoExecute", tolerationSeconds: 300 }],
  },
};
const CREATION = {
  namespace: "a",
  template: TEMPLATE,
  parent: PARENT,
  controllerRef: newControllerRef(PARENT, REPLICASETS),
};

function setUp() {
  const client = new RecordedClient();
  const recorder = new FakeRecorder();
  return { client, recorder, control: new PodControl({ client, recorder }) };
}

Deno.test("podFromTemplate() takes labels, annotations, finalizers and spec, and nothing else", () => {
  assertEquals(podFromTemplate(CREATION), {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      namespace: "a",
      generateName: "r-",
      labels: { app: "x" },
      annotations: { note: "n" },
      finalizers: ["example.com/f"],
      ownerReferences: [CREATION.controllerRef],
    },
    spec: TEMPLATE.spec,
  });
});

Deno.test("podFromTemplate() throws for a template without labels and for an incomplete controller reference", () => {
  const noLabels = "unable to create pods, no labels";
  assertThrows(() => podFromTemplate({ ...CREATION, template: undefined }), Error, noLabels);
  assertThrows(() => podFromTemplate({ ...CREATION, template: { metadata: { labels: {} } } }), Error, noLabels);
  for (const field of ["apiVersion", "kind", "name", "uid"] as const) {
    const controllerRef = { ...CREATION.controllerRef, [field]: "" };
    assertThrows(() => podFromTemplate({ ...CREATION, controllerRef }), Error, field);
  }
  for (const field of ["controller", "blockOwnerDeletion"] as const) {
    const controllerRef = { ...CREATION.controllerRef, [field]: false };
    assertThrows(() => podFromTemplate({ ...CREATION, controllerRef }), Error, field);
  }
});

Deno.test("podNamePrefix() drops the dash where the prefix would make no valid name", () => {
  assertEquals(podNamePrefix("web"), "web-");
  assertEquals(podNamePrefix("w"), "w-");
  assertEquals(podNamePrefix("x".repeat(253)), `${"x".repeat(253)}-`);
  assertEquals(podNamePrefix("x".repeat(254)), "x".repeat(254));
});

Deno.test("PodControl.create() creates the pod and tells so", async () => {
  const { client, recorder, control } = setUp();
  const created = await control.create(CREATION);
  assertEquals(client.bodies<Pod>("create pods a/r-*"), [podFromTemplate(CREATION)]);
  assertEquals(recorder.lines, [`Normal SuccessfulCreate a/r Created pod: ${created.metadata?.name}`]);
});

Deno.test("PodControl.create() tells of a failure, except in a terminating namespace", async () => {
  const { client, recorder, control } = setUp();
  client.fail("create", statusError(403, "Forbidden", "exceeded quota"), { times: 1 });
  client.fail("create", namespaceTerminating());
  await assertRejects(() => control.create(CREATION), Error, "exceeded quota");
  assertEquals(recorder.lines, ["Warning FailedCreate a/r Error creating: exceeded quota"]);
  await assertRejects(() => control.create(CREATION));
  assertEquals(recorder.lines.length, 1);
});

Deno.test("PodControl.create() sends nothing for a template without labels", async () => {
  const { client, recorder, control } = setUp();
  await assertRejects(() => control.create({ ...CREATION, template: {} }), Error, "no labels");
  assertEquals(client.calls, []);
  assertEquals(recorder.lines, []);
});

Deno.test("PodControl.delete() tells of success and failure, and not of a pod that is gone", async () => {
  const { client, recorder, control } = setUp();
  client.store(PODS, { metadata: { namespace: "a", name: "p" } });
  await control.delete({ namespace: "a", name: "p" }, PARENT);
  const gone = await assertRejects(() => control.delete({ namespace: "a", name: "p" }, PARENT), Error);
  assertEquals(gone.message, `pods "p" not found`);
  client.fail("delete", statusError(500, "InternalError", "broken"));
  await assertRejects(
    () => control.delete({ namespace: "a", name: "p" }, PARENT),
    Error,
    "unable to delete pods: broken",
  );
  assertEquals(recorder.lines, [
    "Normal SuccessfulDelete a/r Deleted pod: p",
    "Warning FailedDelete a/r Error deleting: broken",
  ]);
});

Deno.test("PodControl.delete() never takes an error merely caused by a 404 for a pod that is gone", async () => {
  const { client, recorder, control } = setUp();
  client.fail("delete", new Error("cannot get a token", { cause: statusError(404, "NotFound") }));
  const remove = () => control.delete({ namespace: "a", name: "p" }, PARENT);
  await assertRejects(remove, Error, "unable to delete pods: cannot get a token");
  assertEquals(recorder.lines, ["Warning FailedDelete a/r Error deleting: cannot get a token"]);
});
