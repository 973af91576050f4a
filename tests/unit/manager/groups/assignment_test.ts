import { assertEquals, assertThrows } from "@std/assert";
import { KNOWN_CONTROLLERS } from "../../../../src/controllers/mod.ts";
import { assignGroups } from "../../../../src/manager/groups/mod.ts";
import { FlagError } from "../../../../src/manager/mod.ts";

const enabled = [
  "deployment-controller",
  "replicaset-controller",
  "garbage-collector-controller",
  "namespace-controller",
  "serviceaccount-controller",
];

function groups(flag: readonly string[], { processors = 2, on = enabled } = {}): Record<string, readonly string[]> {
  const assigned = assignGroups(flag, {
    known: KNOWN_CONTROLLERS,
    enabled: on.map((wanted) => KNOWN_CONTROLLERS.find(({ name }) => name === wanted)!),
    processors,
  });
  return Object.fromEntries(assigned.map(({ name, controllers }) => [name, controllers]));
}

Deno.test("assignGroups: none is one thread, for which there is no group", () => {
  assertEquals(groups(["none"]), {});
});

Deno.test("assignGroups: auto has as many threads as there are processors, the main one among them", () => {
  const workloads = ["deployment-controller", "replicaset-controller"];
  const garbage = ["garbage-collector-controller", "namespace-controller"];
  const rest = ["serviceaccount-controller"];
  for (const processors of [1, 2]) assertEquals(groups(["auto"], { processors }), { rest: enabled });
  assertEquals(groups(["auto"], { processors: 3 }), { workloads, rest: [...garbage, ...rest] });
  for (const processors of [4, 64]) assertEquals(groups(["auto"], { processors }), { workloads, garbage, rest });
});

Deno.test("assignGroups leaves out controllers that are not enabled, and groups that have none", () => {
  assertEquals(groups(["auto"], { processors: 3, on: ["replicaset-controller"] }), {
    workloads: ["replicaset-controller"],
  });
  assertEquals(groups(["a=job-controller", "b=deployment-controller"], { on: ["deployment-controller"] }), {
    b: ["deployment-controller"],
  });
});

Deno.test("assignGroups takes groups as they are named, old names too, and puts what none has into rest", () => {
  const assigned = groups(["apps=deployment;replicaset-controller", "rest=garbagecollector"]);
  assertEquals(assigned, {
    apps: ["deployment-controller", "replicaset-controller"],
    rest: ["garbage-collector-controller", "namespace-controller", "serviceaccount-controller"],
  });
});

Deno.test("assignGroups refuses what names no group or no controller, or a controller twice", () => {
  const cases: [flag: readonly string[], why: string][] = [
    [["auto", "none"], "it must be auto or none alone, or <group>=<controller>[;<controller>...]"],
    [["A=deployment"], "it must be auto"],
    [["a="], "it must be auto"],
    [["a=deployment", "a=replicaset"], "there is a group a already"],
    [["a=nobody"], '"nobody" is not in the list of known controllers'],
    [["a=deployment", "b=deployment-controller"], "deployment-controller is in two groups"],
  ];
  for (const [flag, why] of cases) {
    const error = assertThrows(() => groups(flag), FlagError, why);
    assertEquals(error.message.startsWith('invalid argument "'), true, error.message);
  }
});
