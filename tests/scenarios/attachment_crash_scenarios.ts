/** What is done to attached volumes while the manager that attaches them is killed. */
import { CONFIGMAPS } from "../../src/api/mod.ts";
import {
  boundClaim,
  createNode,
  letAttach,
  letDetach,
  noteAttachments,
  podOn,
  setInUse,
  setReady,
  takeOutOfService,
  untilAttachment,
  untilReported,
} from "./attachment_kit.ts";
import type { CrashScenario } from "./crash_scenarios.ts";
import type { Kit } from "./kit.ts";
import { removeAtOnce } from "./volume_kit.ts";

const COMMON = {
  controllers: ["persistentvolume-attach-detach-controller"],
  resources: [CONFIGMAPS],
  mayTell: new Map([
    [
      /SuccessfulAttachVolume/,
      "who is killed before a node's status says so attaches the volume again, which changes nothing",
    ],
    [/FailedAttachVolume Multi-Attach/, "who comes later has not told of it"],
  ]),
};

/** Lets a volume go whose kubelet is heard from time to time: a new manager asks it to be sure that it does not use the volume. */
async function letGo(kit: Kit, isReady = true): Promise<void> {
  let beats = 0;
  await untilAttachment(kit, ON_A, async (found) => {
    await setReady(kit, "a", isReady, `beat ${++beats}`);
    return found?.metadata?.deletionTimestamp;
  });
  await letDetach(kit, ON_A);
}

const ON_A = { volume: "c", node: "a" };
const ON_B = { volume: "c", node: "b" };

/** A pod whose volume is attached and in use. */
async function running(kit: Kit): Promise<void> {
  await createNode(kit, "a");
  await createNode(kit, "b");
  await boundClaim(kit, "c");
  await podOn(kit, "p", { node: "a", claims: ["c"] });
  await letAttach(kit, ON_A);
  await untilReported(kit, "a", ["c"]);
  await setInUse(kit, "a", ["c"]);
}

export const ATTACHMENT_CRASH_SCENARIOS: readonly CrashScenario[] = [
  {
    name: "attached-and-detached",
    ...COMMON,
    run: async (kit) => {
      await running(kit);
      await noteAttachments(kit, ["a"]);
      await removeAtOnce(kit, "p");
      await setInUse(kit, "a", []);
      await letGo(kit);
      await untilReported(kit, "a", []);
    },
  },
  {
    name: "moved-to-another-node",
    ...COMMON,
    run: async (kit) => {
      await running(kit);
      await podOn(kit, "q", { node: "b", claims: ["c"] });
      await removeAtOnce(kit, "p");
      await setInUse(kit, "a", []);
      await letGo(kit);
      await letAttach(kit, ON_B);
      await untilReported(kit, "b", ["c"]);
      await noteAttachments(kit, ["a", "b"]);
    },
  },
  {
    name: "node-lost",
    ...COMMON,
    run: async (kit) => {
      await running(kit);
      await setReady(kit, "a", false);
      await removeAtOnce(kit, "p");
      await podOn(kit, "q", { node: "b", claims: ["c"] });
      await takeOutOfService(kit, "a");
      await letGo(kit, false);
      await letAttach(kit, ON_B);
      await untilReported(kit, "b", ["c"]);
      await noteAttachments(kit, ["a", "b"]);
    },
  },
];
