/** Volumes that FlexVolume drivers attach and detach; the kubelets are played by hand. */
import { EVENTS, PODS } from "../../src/api/mod.ts";
import {
  boundClaim,
  createNode,
  looked,
  noteAttachments,
  podOn,
  setInUse,
  takeOutOfService,
  untilReported,
} from "./attachment_kit.ts";
import type { FlexDrivers } from "./flex_volume_kit.ts";
import type { Kit } from "./kit.ts";
import type { Scenario } from "./scenario.ts";
import { clusterName, removeAtOnce } from "./volume_kit.ts";

const VENDOR = "acme.example.com";
const DISK = `${VENDOR}/disk`;

async function untilSaid(kit: Kit, pod: string, text: string): Promise<void> {
  await kit.untilAll(
    EVENTS,
    `${pod} is told: ${text}`,
    (events) => events.some(({ involvedObject, message }) => involvedObject?.name === pod && message?.includes(text)),
  );
}

function nameOf(kit: Kit, volume: string, driver = DISK): string {
  return `${driver}/${clusterName(kit, volume)}`;
}

/** A pod on a node that uses a volume of a driver. */
async function claiming(kit: Kit, flexVolume: object = {}): Promise<void> {
  await createNode(kit, "a");
  await boundClaim(kit, "c", { flexVolume: { driver: DISK, ...flexVolume } });
  await podOn(kit, "p", { node: "a", claims: ["c"] });
}

async function running(kit: Kit): Promise<void> {
  await claiming(kit);
  await untilReported(kit, "a", [nameOf(kit, "c")]);
  await untilSaid(kit, "p", "succeeded");
  await setInUse(kit, "a", [nameOf(kit, "c")]);
}

async function leave(kit: Kit, pod = "p"): Promise<void> {
  await removeAtOnce(kit, pod);
  await setInUse(kit, "a", []);
}

/** What drivers do as they should. */
function usual(drivers: FlexDrivers): readonly Scenario[] {
  return [
    {
      name: "flex-attach-detach",
      run: async (kit) => {
        await running(kit);
        await noteAttachments(kit, ["a"]);
        await leave(kit);
        await untilReported(kit, "a", []);
        await drivers.untilAsked(kit, "c", "detach");
        await drivers.note(kit, ["c"]);
      },
    },
    {
      name: "flex-options",
      run: async (kit) => {
        const options = { "a<b": "<&>\u2028é", z: "", A: "1", "example.com/x": "y" };
        await createNode(kit, "a");
        await boundClaim(kit, "c", { flexVolume: { driver: DISK, fsType: "xfs", readOnly: true, options } });
        const secretRef = { name: "s", namespace: kit.namespace };
        await boundClaim(kit, "d", { flexVolume: { driver: DISK, secretRef } });
        const claim = { name: "d", persistentVolumeClaim: { claimName: "d", readOnly: true } };
        await podOn(kit, "p", { node: "a", claims: ["c"], volumes: [claim] });
        await untilReported(kit, "a", [nameOf(kit, "c"), nameOf(kit, "d")]);
        await drivers.note(kit, ["c", "d"]);
      },
    },
    {
      name: "flex-volume-of-a-pod",
      run: async (kit) => {
        const own = clusterName(kit, "own").replaceAll(".", "-");
        const flexVolume = { driver: DISK, fsType: "ext4", readOnly: true, options: { size: "1" } };
        await createNode(kit, "a");
        await podOn(kit, "p", { node: "a", volumes: [{ name: own, flexVolume }] });
        await untilReported(kit, "a", [`${DISK}/${own}`]);
        await untilSaid(kit, "p", "succeeded");
        await noteAttachments(kit, ["a"]);
        await leave(kit);
        await untilReported(kit, "a", []);
      },
    },
    {
      name: "flex-in-use-stays",
      run: async (kit) => {
        await running(kit);
        await removeAtOnce(kit, "p");
        await looked(kit);
        await noteAttachments(kit, ["a"]);
        await drivers.note(kit, ["c"]);
      },
    },
    {
      name: "flex-out-of-service",
      run: async (kit) => {
        await running(kit);
        await removeAtOnce(kit, "p");
        await takeOutOfService(kit, "a");
        await drivers.untilAsked(kit, "c", "detach");
        await untilReported(kit, "a", []);
        await drivers.note(kit, ["c"]);
      },
    },
    {
      name: "flex-moves",
      run: async (kit) => {
        await running(kit);
        await createNode(kit, "b");
        await podOn(kit, "q", { node: "b", claims: ["c"] });
        await untilSaid(kit, "q", "Multi-Attach error");
        await leave(kit);
        await untilReported(kit, "b", [nameOf(kit, "c")]);
        await untilSaid(kit, "q", "succeeded");
        await noteAttachments(kit, ["a", "b"]);
        await drivers.note(kit, ["c"]);
      },
    },
    {
      name: "flex-fewer-commands",
      run: async (kit) => {
        await claiming(kit, { driver: `${VENDOR}/fewer` });
        await untilReported(kit, "a", [nameOf(kit, "c", `${VENDOR}/fewer`)]);
        await untilSaid(kit, "p", "succeeded");
        await noteAttachments(kit, ["a"]);
        await leave(kit);
        await untilReported(kit, "a", []);
      },
    },
    {
      name: "flex-attaches-nothing",
      run: async (kit) => {
        await claiming(kit, { driver: `${VENDOR}/plain` });
        await boundClaim(kit, "d", { flexVolume: { driver: `${VENDOR}/broken` } });
        await boundClaim(kit, "e", { flexVolume: { driver: `${VENDOR}/missing` } });
        await podOn(kit, "q", { node: "a", claims: ["d", "e"] });
        await looked(kit);
        await noteAttachments(kit, ["a"]);
        await drivers.note(kit, ["c", "d", "e"]);
      },
    },
  ];
}

/** What goes wrong with them. */
function troubled(drivers: FlexDrivers): readonly Scenario[] {
  const failing = (name: string, answer: { text: string; code: number }, said: string): Scenario => ({
    name,
    run: async (kit) => {
      drivers.letSay(kit, "c", "attach", answer);
      await claiming(kit);
      await untilSaid(kit, "p", `AttachVolume.Attach failed for volume "${clusterName(kit, "c")}" : ${said}`);
      await noteAttachments(kit, ["a"]);
      drivers.letWork(kit, "c", "attach");
      await untilReported(kit, "a", [nameOf(kit, "c")]);
      await untilSaid(kit, "p", "succeeded");
      await drivers.note(kit, ["c"]);
    },
  });
  return [
    failing(
      "flex-attach-fails",
      { text: '{"status":"Failure","message":"disk \\"1\\" is gone"}', code: 1 },
      'attach command failed, status: Failure, reason: disk "1" is gone',
    ),
    failing("flex-says-nothing", { text: "", code: 1 }, "unexpected end of JSON input"),
    failing("flex-says-no-json", { text: "oh no", code: 0 }, "invalid character 'o' looking for beginning of value"),
    failing("flex-fails-without-saying-so", { text: '{"status":"Success"}', code: 3 }, "exit status 3"),
    failing(
      "flex-says-something-else",
      { text: '{"status":"Success","attached":"yes"}', code: 0 },
      "json: cannot unmarshal string into Go struct field DriverStatus.attached of type bool",
    ),
    {
      name: "flex-detach-fails",
      run: async (kit) => {
        await running(kit);
        drivers.letSay(kit, "c", "detach", { text: '{"status":"Failure","message":"stuck"}', code: 1 });
        await leave(kit);
        await drivers.untilAsked(kit, "c", "detach", 2);
        await untilReported(kit, "a", []);
        await noteAttachments(kit, ["a"]);
        drivers.letWork(kit, "c", "detach");
        await podOn(kit, "q", { node: "a", claims: ["c"] });
        await untilReported(kit, "a", [nameOf(kit, "c")]);
        await drivers.note(kit, ["c"]);
      },
    },
    {
      name: "flex-lost-and-attached-again",
      run: async (kit) => {
        await running(kit);
        drivers.lose(kit, { volume: "c", node: "a" });
        await drivers.untilAsked(kit, "c", "attach", 2);
        await untilReported(kit, "a", [nameOf(kit, "c")]);
        await noteAttachments(kit, ["a"]);
      },
    },
    {
      name: "flex-says-nothing-about-what-is-attached",
      run: async (kit) => {
        drivers.letSay(kit, "c", "isattached", { text: '{"status":"Failure","message":"unwell"}', code: 1 });
        await running(kit);
        await looked(kit);
        await noteAttachments(kit, ["a"]);
        await drivers.note(kit, ["c"]);
      },
    },
    {
      name: "flex-driver-comes-late",
      run: async (kit) => {
        const name = `late-${kit.namespace}`;
        const driver = `${VENDOR}/${name}`;
        await claiming(kit, { driver });
        await looked(kit);
        drivers.install(VENDOR, name);
        let pokes = 0;
        await kit.untilAll(PODS, "its driver has come", async () => {
          await kit.merge(PODS, "p", { metadata: { annotations: { poke: String(pokes++) } } });
          return drivers.asked(clusterName(kit, "c")).length > 0;
        });
        await kit.merge(PODS, "p", { metadata: { annotations: null } });
        await untilReported(kit, "a", [nameOf(kit, "c", driver)]);
        await drivers.note(kit, ["c"]);
      },
    },
  ];
}

/** @param drivers Of a folder that both managers look into. */
export function flexVolumeScenarios(drivers: FlexDrivers): readonly Scenario[] {
  for (const name of ["disk", "plain", "fewer", "broken"]) drivers.install(VENDOR, name);
  return [...usual(drivers), ...troubled(drivers)];
}
