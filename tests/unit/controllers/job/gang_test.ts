import { assert, assertEquals, assertMatch, assertNotEquals, assertRejects, assertThrows } from "@std/assert";
import {
  type Job,
  JOBS,
  type JobSpec,
  type JobStatus,
  newControllerRef,
  type Pod,
  type PodGroup,
  PODGROUPS,
  type Workload,
  WORKLOADS,
} from "../../../../src/api/mod.ts";
import { Indexer } from "../../../../src/cache/mod.ts";
import { GangGroups, indexGangs } from "../../../../src/controllers/job/gang_groups.ts";
import {
  isGang,
  newPodGroup,
  newWorkload,
  podGroupName,
  workloadName,
} from "../../../../src/controllers/job/gang_objects.ts";
import { statusError } from "../status_errors.ts";
import { ago } from "../fake_times.ts";
import { INDEXED, job, JobHarness, pod } from "./fixtures.ts";
/** The tables of upstream's `job_scheduling_manager_test.go`, and what a sync makes of them. */

const FOUR: Partial<JobSpec> = { parallelism: 4, completions: 4, ...INDEXED };
const gangJob = (status: JobStatus = {}) => job(FOUR, { status });

Deno.test("isGang() is true of Indexed Jobs that run all their pods at once, more than one, in no group yet", () => {
  const grouped = {
    ...job().spec!.template,
    spec: { containers: [{ name: "c", image: "i" }], schedulingGroup: { podGroupName: "g" } },
  };
  const table: [string, Partial<JobSpec>, boolean][] = [
    ["all at once", FOUR, true],
    ["two at once", { ...FOUR, parallelism: 2, completions: 2 }, true],
    ["no parallelism", { ...FOUR, parallelism: undefined }, false],
    ["one", { ...FOUR, parallelism: 1, completions: 1 }, false],
    ["none", { ...FOUR, parallelism: 0, completions: 0 }, false],
    ["NonIndexed", { ...FOUR, completionMode: "NonIndexed" }, false],
    ["no completion mode", { ...FOUR, completionMode: undefined }, false],
    ["no completions", { ...FOUR, completions: undefined }, false],
    ["more completions", { ...FOUR, completions: 8 }, false],
    ["a group in the template", { ...FOUR, template: grouped }, false],
  ];
  for (const [name, spec, expected] of table) assertEquals(isGang(job(spec)), expected, name);
});

Deno.test("workloadName() ends in a hash of the uid and fits into a name", () => {
  for (const name of ["my-job", "a".repeat(300)]) {
    const named = job({}, { name, uid: "uid-123" });
    assert(workloadName(named).length <= 253);
    assert(workloadName(named).startsWith(name.slice(0, 242)));
    assertMatch(workloadName(named), /-[a-z0-9]{7,10}$/);
    assertNotEquals(workloadName(named), workloadName(job({}, { name, uid: "uid-124" })));
  }
});

Deno.test("podGroupName() cuts the part short that takes more than half of the room, or both", () => {
  const table = [
    ["my-workload", "my-template", 11, 11],
    ["w".repeat(250), "tpl", 241 - 3, 3],
    ["wl", "t".repeat(250), 2, 241 - 2],
    ["w".repeat(200), "t".repeat(200), 121, 120],
  ] as const;
  for (const [workload, template, keptOfWorkload, keptOfTemplate] of table) {
    const name = podGroupName(workload, template);
    const [, hash] = /-([^-]+)$/.exec(name)!;
    const extra = 10 - hash.length; // of which a shorter hash leaves more
    assert(name.length <= 253);
    assert(name.startsWith(`${workload.slice(0, keptOfWorkload)}`), name);
    assert(name.includes(`-${template.slice(0, keptOfTemplate)}`), name);
    assert(name.length <= keptOfWorkload + keptOfTemplate + extra + hash.length + 2, name);
    assertNotEquals(name, podGroupName(workload, "other"));
  }
});

Deno.test("newWorkload() describes one group of all the Job's pods, controlled by the Job", () => {
  const owner = job({ ...FOUR, parallelism: 8, completions: 8 });
  assertEquals(newWorkload(owner), {
    apiVersion: "scheduling.k8s.io/v1alpha2",
    kind: "Workload",
    metadata: { name: workloadName(owner), namespace: "a", ownerReferences: [newControllerRef(owner, JOBS)] },
    spec: {
      controllerRef: { apiGroup: "batch", kind: "Job", name: "j" },
      podGroupTemplates: [{ name: "j-pgt-0", schedulingPolicy: { gang: { minCount: 8 } } }],
    },
  });
});

Deno.test("newPodGroup() is controlled by the Job, and owned by the Workload without holding it up", () => {
  const group = newPodGroup(gangJob(), workload("w"));
  assertEquals(group.metadata?.name, podGroupName("w", "j-pgt-0"));
  assertEquals(group.metadata?.ownerReferences, [
    newControllerRef(job(), JOBS),
    { apiVersion: "scheduling.k8s.io/v1alpha2", kind: "Workload", name: "w", uid: "uid-w" },
  ]);
  assertEquals(group.spec, {
    podGroupTemplateRef: { workload: { workloadName: "w", podGroupTemplateName: "j-pgt-0" } },
    schedulingPolicy: { gang: { minCount: 4 } },
  });
  const empty = { ...workload("w"), spec: { podGroupTemplates: [] } };
  assertThrows(() => newPodGroup(gangJob(), empty), Error, "workload a/w has no PodGroupTemplates");
});

function metadataOf(name: string, isOwned: boolean) {
  const ownerReferences = isOwned ? [newControllerRef(job(), JOBS)] : [];
  return { namespace: "a", name, uid: `uid-${name}`, ownerReferences };
}

function workload(name: string, { isOwned = true, templates = ["j-pgt-0"] } = {}): Workload {
  return {
    metadata: metadataOf(name, isOwned),
    spec: {
      controllerRef: { apiGroup: "batch", kind: "Job", name: "j" },
      podGroupTemplates: templates.map((template) => ({ name: template, schedulingPolicy: { gang: { minCount: 4 } } })),
    },
  };
}

function group(name: string, of: string, { isOwned = true } = {}): PodGroup {
  return {
    metadata: metadataOf(name, isOwned),
    spec: {
      podGroupTemplateRef: { workload: { workloadName: of, podGroupTemplateName: "j-pgt-0" } },
      schedulingPolicy: { basic: {} },
    },
  };
}

interface Existing {
  readonly workloads?: readonly Workload[];
  readonly groups?: readonly PodGroup[];
}

/** A harness whose controller has the gate, and caches that show `existing`. */
function gated(owner: Job, { workloads = [], groups = [] }: Existing = {}, ...pods: Pod[]) {
  const harness = new JobHarness(owner, ...pods);
  const caches = { workloads: new Indexer<Workload>(), groups: new Indexer<PodGroup>() };
  indexGangs(caches);
  for (const stored of harness.client.store(WORKLOADS, ...workloads)) caches.workloads.add(stored);
  for (const stored of harness.client.store(PODGROUPS, ...groups)) caches.groups.add(stored);
  const { world, client, recorder } = harness;
  const gangs = new GangGroups({ world, client, recorder, ...caches });
  return { harness, gangs, caches, sync: () => withGangs(harness, gangs) };
}

async function withGangs(harness: JobHarness, gangs: GangGroups): Promise<void> {
  Object.assign(harness.context, { gangs });
  await harness.sync();
}

const NAMED = workloadName(gangJob());
const GROUPED = podGroupName(NAMED, "j-pgt-0");
const both: Existing = { workloads: [workload(NAMED)], groups: [group(GROUPED, NAMED)] };
const stranger = pod("p");

type Ensured = readonly [
  where: string,
  owner: Job,
  existing: Existing,
  pods: readonly Pod[],
  expected: string | undefined,
  writes: readonly string[],
];

/** Each row is a step of `t`. */
async function ensure(t: Deno.TestContext, rows: readonly Ensured[]): Promise<void> {
  for (const [where, owner, existing, pods, expected, writes] of rows) {
    await t.step(where, async () => {
      const { harness, gangs } = gated(owner, existing);
      assertEquals(await gangs.groupOf(owner, pods), expected);
      assertEquals(harness.client.writes, writes);
      const isTold = writes.some((text) => text.startsWith("create workloads"));
      const told = [`Normal WorkloadCreated a/j Created Workload ${NAMED} for Job j`];
      assertEquals(harness.recorder.lines, isTold ? told : []);
    });
  }
}

Deno.test("GangGroups: makes a Workload and a PodGroup for each gang-shaped Job before its first pod", (t) =>
  ensure(t, [
    ["neither exists", gangJob(), {}, [], GROUPED, [`create workloads a/${NAMED}`, `create podgroups a/${GROUPED}`]],
    ["the Job is no gang", job({ parallelism: 4 }), both, [], undefined, []],
  ]));

Deno.test("GangGroups: a Job that has started without a group gets none", (t) =>
  ensure(t, [
    ["pods exist", gangJob(), {}, [stranger], undefined, []],
    ["it has a start time", gangJob({ startTime: ago(9) }), {}, [], undefined, []],
    ["pods have succeeded", gangJob({ succeeded: 1 }), {}, [], undefined, []],
    ["pods have failed", gangJob({ failed: 1 }), {}, [], undefined, []],
    ["it was suspended", gangJob({ conditions: [{ type: "Suspended", status: "True" }] }), {}, [], undefined, []],
  ]));

Deno.test("GangGroups: there is never a second Workload or PodGroup where one says that it is the Job's", (t) =>
  ensure(t, [
    ["both exist", gangJob(), both, [], GROUPED, []],
    ["both exist, and pods", gangJob(), both, [stranger], GROUPED, []],
    [
      "a Workload of another name exists",
      gangJob(),
      { workloads: [workload("user")] },
      [],
      podGroupName("user", "j-pgt-0"),
      [`create podgroups a/${podGroupName("user", "j-pgt-0")}`],
    ],
  ]));

Deno.test("GangGroups: what the Job does not control, what there is more than one of, and a Workload that does not describe exactly one group, are left alone", (t) =>
  ensure(t, [
    [
      "the Workload is not the Job's",
      gangJob(),
      { workloads: [workload("w", { isOwned: false })] },
      [],
      undefined,
      [],
    ],
    ["there are two Workloads", gangJob(), { workloads: [workload("w"), workload("v")] }, [], undefined, []],
    [
      "the PodGroup is not the Job's",
      gangJob(),
      { workloads: [workload(NAMED)], groups: [group("g", NAMED, { isOwned: false })] },
      [],
      undefined,
      [],
    ],
    [
      "there are two PodGroups",
      gangJob(),
      { workloads: [workload(NAMED)], groups: [group("g", NAMED), group("h", NAMED)] },
      [],
      undefined,
      [],
    ],
    [
      "there are two templates",
      gangJob(),
      { workloads: [workload("w", { templates: ["g", "h"] })] },
      [],
      undefined,
      [],
    ],
    ["there is no template", gangJob(), { workloads: [workload("w", { templates: [] })] }, [], undefined, []],
  ]));

Deno.test("GangGroups.groupOf() takes no Workload of another kind, group or namespace for the Job's", async () => {
  const named = (kind: string, apiGroup: string, namespace: string): Workload => ({
    metadata: { namespace, name: `w-${kind}-${apiGroup}`.toLowerCase(), uid: "u" },
    spec: { controllerRef: { kind, apiGroup, name: "j" }, podGroupTemplates: [] },
  });
  const workloads = [named("Job", "batch", "b"), named("Job", "x.io", "a"), named("CronJob", "batch", "a")];
  const { harness, gangs } = gated(gangJob(), { workloads });
  assertEquals(await gangs.groupOf(gangJob(), []), GROUPED);
  assertEquals(harness.client.writes.length, 2);
});

Deno.test("GangGroups: no pod is created if the Workload or the PodGroup cannot be", async () => {
  for (const plural of ["workloads", "podgroups"]) {
    const { harness, sync } = gated(gangJob());
    harness.client.fail(`create ${plural}`, statusError(500, "InternalError", "no"));
    await assertRejects(sync, Error, "ensuring Workload and PodGroup for Job a/j: no");
    assertEquals([harness.created, harness.statuses], [[], []]);
  }
});

Deno.test("GangGroups.groupOf() waits a moment for the cache to show a Workload that exists already", async () => {
  const { harness, gangs, caches } = gated(gangJob());
  const [stored] = harness.client.store(WORKLOADS, workload(NAMED));
  const found = gangs.groupOf(gangJob(), []);
  await harness.world.clock.advance(5);
  caches.workloads.add(stored);
  await harness.world.clock.advance(10);
  assertEquals(await found, GROUPED);
  assertEquals(harness.client.writes, [`create workloads a/${NAMED}`, `create podgroups a/${GROUPED}`]);
});

Deno.test("GangGroups.groupOf() gives up after five tries to create what others have made", async () => {
  const { harness, gangs } = gated(gangJob());
  // It refers to no Job: no cache will ever show it.
  harness.client.store(WORKLOADS, { ...workload(NAMED), spec: { podGroupTemplates: [] } });
  const found = assertRejects(() => gangs.groupOf(gangJob(), []), Error, "already exists");
  await harness.world.clock.advance(100);
  await found;
  assertEquals(harness.client.writes.length, 5);
});

Deno.test("syncJob() puts the pods of a gang into its group, and keeps the Job their only owner", async () => {
  const { harness, sync } = gated(gangJob());
  await sync();
  const created = harness.client.bodies<Pod>("create pods");
  assertEquals(created.map(({ spec }) => spec?.schedulingGroup), Array(4).fill({ podGroupName: GROUPED }));
  // As upstream: what it adds to the template's owner references, it does not copy into the pod.
  assertEquals(created[0].metadata?.ownerReferences, [newControllerRef(job(), JOBS)]);
  assertEquals(harness.client.writes.slice(0, 3), [
    `create workloads a/${NAMED}`,
    `create podgroups a/${GROUPED}`,
    "create pods a/j-0-*",
  ]);
});

Deno.test("syncJob() leaves alone a group that the template names, and Jobs that are not a gang", async () => {
  const { template } = job().spec!;
  const schedulingGroup = { podGroupName: "external" };
  const table: [Partial<JobSpec>, unknown[]][] = [
    [
      { ...FOUR, template: { ...template, spec: { ...template.spec!, schedulingGroup } } },
      Array(4).fill(schedulingGroup),
    ],
    [{ parallelism: 2, completions: 5 }, [undefined, undefined]],
  ];
  for (const [spec, expected] of table) {
    const { harness, sync } = gated(job(spec));
    await sync();
    assertEquals(harness.client.bodies<Pod>("create pods").map((created) => created.spec?.schedulingGroup), expected);
  }
});

Deno.test("syncJob() makes the group of a suspended gang and no pod, and uses it when the Job is resumed", async () => {
  const { harness, sync } = gated(job({ ...FOUR, suspend: true }));
  await sync();
  assertEquals([harness.created, harness.client.all(PODGROUPS).length], [[], 1]);
  const resumed = gated(gangJob({ conditions: [{ type: "Suspended", status: "False" }] }), both);
  await resumed.sync();
  const [first] = resumed.harness.client.bodies<Pod>("create pods");
  assertEquals(first.spec?.schedulingGroup, { podGroupName: GROUPED });
});

Deno.test("syncJob() schedules the pods of a gang one by one without the gate", async () => {
  const harness = new JobHarness(gangJob());
  await harness.sync();
  const created = harness.client.bodies<Pod>("create pods");
  assertEquals(created.map(({ spec }) => spec?.schedulingGroup), Array(4).fill(undefined));
  assertEquals(harness.client.all(WORKLOADS), []);
});
