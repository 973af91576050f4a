/**
 * FlexVolume drivers that hang, lie and flood, and tenants who name them in odd ways, on a manager in a process of its own: volumes of
 * other drivers are attached meanwhile, and nothing runs but what was found in the folder.
 *
 * | attack                                                  | what bounds it                                                      |
 * | ------------------------------------------------------- | ------------------------------------------------------------------- |
 * | a driver that hangs, for more volumes than may run      | 32 programs of a driver at a time, two minutes each                 |
 * | a driver that writes without end                        | 1 MiB of output; then it is killed                                  |
 * | a driver that answers with megabytes of text            | 4,096 characters of a message                                       |
 * | volumes of drivers such as `../bin/sh`                  | only drivers that were found have programs                          |
 * | options longer than a program's argument may be         | the call fails; the volume waits like any other that failed         |
 */
import { assert, assertEquals } from "@std/assert";
import { EVENTS, NAMESPACES, PODS, SERVICEACCOUNTS } from "../../../src/api/mod.ts";
import { MemoryLogger, systemWorld } from "../../../src/base/mod.ts";
import { Client } from "../../../src/client/mod.ts";
import { eventually } from "../../controlplane/process.ts";
import { createNode, podOn, setInUse, untilReported } from "../../scenarios/attachment_kit.ts";
import { FlexDrivers } from "../../scenarios/flex_volume_kit.ts";
import { flexVolumeScenarios } from "../../scenarios/flex_volume_scenarios.ts";
import { type Eventually, Kit } from "../../scenarios/kit.ts";
import { removeAtOnce } from "../../scenarios/volume_kit.ts";
import { ManagerUnderAttack } from "./manager_under_attack.ts";

const VENDOR = "acme.example.com";
const HOSTILE: Readonly<Record<string, string>> = {
  hangs: 'exec tail --pid="$PPID" -f /dev/null',
  floods: "yes",
  babbles: `printf '{"status":"Failure","message":"'; head -c 900000 /dev/zero | tr '\\0' x; printf '"}'`,
};

class Rig implements AsyncDisposable {
  readonly drivers: FlexDrivers;
  readonly #folder: string;
  readonly #client: Client;
  readonly #manager: ManagerUnderAttack;

  private constructor(folder: string, drivers: FlexDrivers, manager: ManagerUnderAttack) {
    this.#folder = folder;
    this.drivers = drivers;
    this.#manager = manager;
    this.#client = new Client({
      world: systemWorld(new MemoryLogger()),
      server: manager.server,
      userAgent: "test/1",
      transport: (request) => fetch(request),
    });
  }

  static async start(...flags: string[]): Promise<Rig> {
    const folder = await Deno.makeTempDir({ prefix: "kubeloop-drivers-" });
    const drivers = new FlexDrivers(folder);
    flexVolumeScenarios(drivers); // installs its drivers
    for (const [name, command] of Object.entries(HOSTILE)) {
      const at = `${drivers.folder}/${VENDOR}~${name}`;
      await Deno.mkdir(at, { recursive: true });
      const script = `#!/bin/sh\nif [ "$1" = init ]; then echo '{"status":"Success"}'; exit; fi\n${command}\n`;
      await Deno.writeTextFile(`${at}/${name}`, script, { mode: 0o755 });
    }
    const manager = await ManagerUnderAttack.start({
      flags: [
        "--controllers=persistentvolume-attach-detach-controller",
        "--attach-detach-reconcile-sync-period=1s",
        `--flex-volume-plugin-dir=${drivers.folder}`,
        ...flags,
      ],
    });
    return new Rig(folder, drivers, manager);
  }

  async kit(namespace: string): Promise<Kit> {
    await this.#client.create(NAMESPACES, { metadata: { name: namespace } });
    await this.#client.create(SERVICEACCOUNTS, { metadata: { name: "default" } }, { namespace });
    return new Kit({ client: this.#client, namespace, eventually: until });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#manager[Symbol.asyncDispose]();
    await Deno.remove(this.#folder, { recursive: true });
  }
}

const until: Eventually = async <T>(what: string, condition: () => Promise<T | undefined | false>) => {
  let found: T | undefined | false;
  await eventually(what, async () => Boolean(found = await condition()), { withinMs: 120_000 });
  return found as T;
};

/** A pod with volumes of its own. */
async function podWith(
  kit: Kit,
  name: string,
  drivers: readonly { driver: string; options?: Record<string, string> }[],
) {
  const volumes = drivers.map((flexVolume, i) => ({ name: `${name}-${i}`, flexVolume }));
  await podOn(kit, name, { node: "a", volumes });
}

Deno.test("Drivers that hang, flood and babble keep no other driver's volume from its node, and run nothing else", async () => {
  await using rig = await Rig.start();
  const kit = await rig.kit("shop");
  await createNode(kit, "a");
  await podWith(kit, "hangs", Array.from({ length: 60 }, () => ({ driver: `${VENDOR}/hangs` })));
  await podWith(kit, "floods", Array.from({ length: 5 }, () => ({ driver: `${VENDOR}/floods` })));
  await podWith(kit, "babbles", [{ driver: `${VENDOR}/babbles` }]);
  await podWith(
    kit,
    "names",
    ["../../bin/sh", "bin/sh", `${VENDOR}~disk`, "constructor", `${VENDOR}/disk/../disk`]
      .map((driver) => ({ driver })),
  );
  await podWith(kit, "long", [{ driver: `${VENDOR}/disk`, options: { long: "x".repeat(200_000) } }]);
  await podWith(kit, "good", [{ driver: `${VENDOR}/disk` }]);
  await untilReported(kit, "a", [`${VENDOR}/disk/good-0`]);
  const events = await kit.untilAll(
    EVENTS,
    "failures are told",
    (all) =>
      ["floods", "babbles", "long"].every((pod) => all.some(({ involvedObject }) => involvedObject?.name === pod)),
  );
  for (const { message = "" } of events) assert(message.length < 10_000, `${message.length} characters`);
  const texts = events.map(({ involvedObject, message }) => `${involvedObject?.name}: ${message}`).join("\n");
  assert(texts.includes("it wrote more than 1048576 bytes"), texts.slice(0, 2000));
  assert(texts.includes("attach could not be run"), texts.slice(0, 2000));
  await removeAtOnce(kit, "good");
  await setInUse(kit, "a", []);
  await untilReported(kit, "a", []);
  assertEquals((await kit.list(PODS)).length, 5);
});

for (const groups of ["none", "auto"]) {
  Deno.test(`FlexVolumes are attached and detached as told by their drivers, with --controller-groups=${groups}`, async () => {
    await using rig = await Rig.start(`--controller-groups=${groups}`);
    const names = ["flex-attach-detach", "flex-options", "flex-moves", "flex-attach-fails", "flex-fewer-commands"];
    const scenarios = flexVolumeScenarios(rig.drivers).filter(({ name }) => names.includes(name));
    await Promise.all(scenarios.map(async ({ name, run }) => await run(await rig.kit(name))));
    assertEquals(scenarios.length, names.length);
  });
}
