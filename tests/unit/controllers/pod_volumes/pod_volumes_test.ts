import { assertEquals } from "@std/assert";
import type { ContainerStatus, Pod } from "../../../../src/api/mod.ts";
import { Indexer } from "../../../../src/cache/mod.ts";
import {
  claimNamesOf,
  indexPodsByClaim,
  isClaimForPod,
  isShutDown,
  isVolumeTerminated,
  podsNaming,
} from "../../../../src/controllers/pod_volumes/mod.ts";

const AT = "2026-01-01T00:00:00Z";

function pod(volumes: NonNullable<Pod["spec"]>["volumes"], more: Partial<Pod> = {}): Pod {
  return {
    metadata: { namespace: "a", name: "p", uid: "u", ...more.metadata },
    spec: { containers: [], volumes },
    ...more,
  };
}

const claimed = (claimName: string) => ({ name: claimName, persistentVolumeClaim: { claimName } });

Deno.test("claimNamesOf names each claim once, in order, and leaves out other volumes and what cannot be a name", () => {
  const volumes = [
    claimed("b"),
    { name: "tmp", emptyDir: {} },
    { name: "e", ephemeral: {} },
    claimed("a"),
    claimed("b"),
    claimed("x/y"),
    claimed(""),
  ];
  assertEquals(claimNamesOf(pod(volumes)), ["b", "p-e", "a"]);
  assertEquals(claimNamesOf(pod(undefined)), []);
});

Deno.test("podsNaming finds pods by the claims of their namespace", () => {
  const pods = new Indexer<Pod>();
  indexPodsByClaim(pods);
  indexPodsByClaim(pods); // another controller may have asked first
  pods.add(pod([claimed("c"), claimed("constructor")]));
  pods.add(pod([{ name: "e", ephemeral: {} }], { metadata: { namespace: "b", name: "q" } }));
  const found = ["a/c", "a/constructor", "b/c", "b/q-e"].map((key) => podsNaming(pods, key).length);
  assertEquals(found, [1, 1, 0, 1]);
});

Deno.test("isClaimForPod is decided by namespace and the controller's UID", () => {
  const owner = { apiVersion: "v1", kind: "Pod", name: "p", uid: "u" };
  const claim = (namespace: string, controller: boolean, uid = "u") => ({
    metadata: { namespace, name: "p-e", ownerReferences: [{ ...owner, uid, controller }] },
  });
  const verdicts = [claim("a", true), claim("b", true), claim("a", false), claim("a", true, "other")]
    .map((each) => isClaimForPod(each, pod([])));
  assertEquals(verdicts, [true, false, false, false]);
});

const status = (state: ContainerStatus["state"]): ContainerStatus => ({
  name: "c",
  image: "",
  imageID: "",
  ready: false,
  restartCount: 0,
  state,
});
const RUNNING = status({ running: {} });
const ENDED = status({ terminated: { exitCode: 0 } });
const WAITING = status({ waiting: {} });

/** The states of a pod: phase, statuses, whether it is being deleted; and whether it is done with its volumes. */
const STATES: ReadonlyArray<readonly [what: string, status: Pod["status"], isDeleting: boolean, isDone: boolean]> = [
  ["pending", { phase: "Pending" }, false, false],
  ["succeeded", { phase: "Succeeded" }, false, true],
  ["failed with a container said to run", { phase: "Failed", containerStatuses: [RUNNING] }, false, true],
  ["ended containers alone", { phase: "Running", containerStatuses: [ENDED] }, false, false],
  ["deleted before it had statuses", { phase: "Pending" }, true, true],
  ["deleted and running", { phase: "Running", containerStatuses: [ENDED, RUNNING] }, true, false],
  ["deleted and not running", { phase: "Running", containerStatuses: [ENDED, WAITING] }, true, true],
  ["deleted with a running init container", { phase: "Pending", initContainerStatuses: [RUNNING] }, true, false],
  ["deleted with a running debugger", { phase: "Running", ephemeralContainerStatuses: [RUNNING] }, true, false],
];

for (const [what, status, isDeleting, isDone] of STATES) {
  Deno.test(`isVolumeTerminated of a pod: ${what}`, () => {
    const metadata = isDeleting ? { deletionTimestamp: AT } : {};
    assertEquals(isVolumeTerminated({ metadata, status }), isDone);
  });
}

Deno.test("isShutDown is a deletion without grace", () => {
  const verdicts = [
    {},
    { deletionGracePeriodSeconds: 0 },
    { deletionTimestamp: AT },
    { deletionTimestamp: AT, deletionGracePeriodSeconds: 30 },
    { deletionTimestamp: AT, deletionGracePeriodSeconds: 0 },
  ].map((metadata) => isShutDown({ metadata }));
  assertEquals(verdicts, [false, false, false, false, true]);
});
