import { assertEquals } from "@std/assert";
import { FakeClock } from "../../../../src/base/mod.ts";
import { StatusDraft } from "../../../../src/controllers/horizontal_pod_autoscaler/status.ts";

const OLD = "2020-01-01T00:00:00Z";
const condition = (type: string, status: string) => ({
  type,
  status,
  reason: "R",
  message: "m",
  lastTransitionTime: OLD,
});
const draft = () => {
  const conditions = [
    condition("ScalingActive", "True"),
    condition("AbleToScale", "False"),
    condition("Other", "True"),
  ];
  return new StatusDraft({ status: { desiredReplicas: 1, conditions } } as never, new FakeClock());
};

Deno.test("StatusDraft: a condition's time of transition moves only with its status", () => {
  const status = draft();
  status.say("ScalingActive", { isTrue: true, reason: "Other", message: "new" });
  status.say("AbleToScale", { isTrue: true, reason: "Other", message: "new" });
  const [active, able] = status.status.conditions!;
  assertEquals([active.message, active.lastTransitionTime, able.message], ["new", OLD, "new"]);
  assertEquals(able.lastTransitionTime === OLD, false);
});

Deno.test("StatusDraft: conditions keep their order; what nobody speaks of stays", () => {
  const status = draft();
  status.say("ScalingLimited", { isTrue: true, reason: "R", message: "m" });
  status.say("AbleToScale", { isTrue: true, reason: "R", message: "m" });
  const { conditions } = status.status;
  assertEquals(conditions!.map(({ type }) => type), ["ScalingActive", "AbleToScale", "Other", "ScalingLimited"]);
  assertEquals([conditions![0], conditions![2]], [condition("ScalingActive", "True"), condition("Other", "True")]);
});
