import type { World } from "../../base/mod.ts";
import { type ExecRunner, runProcess } from "../../client/mod.ts";
import type { ControllerDrivers, ControllerFolders, ControllerNeeds, Supplies } from "../../controllers/mod.ts";
import { type FileOrigin, RotatingFiles } from "./rotating_files.ts";
import { SigningKeys } from "./signing_keys.ts";
import { TemporaryFolders } from "./temporary_folders.ts";
import { VolumeDrivers } from "./volume_drivers.ts";

/** Supplies for some controllers' needs, kept up to date. Files with keys are never handed out. */
export class OpenSupplies implements Supplies {
  readonly files: RotatingFiles;
  readonly signer: SigningKeys;
  readonly folders: ControllerFolders;
  /** Of a process that may always write. */
  readonly drivers: ControllerDrivers;
  readonly #keys: RotatingFiles;
  readonly #drivers: VolumeDrivers;

  constructor(
    world: World,
    needs: Required<ControllerNeeds>,
    origin: (flag: string) => FileOrigin = () => ({ text: "" }),
    run: ExecRunner = runProcess,
  ) {
    const open = (flags: readonly string[]) =>
      new RotatingFiles(world, new Map(flags.map((flag) => [flag, origin(flag)])));
    this.files = open(needs.files);
    this.#keys = open(needs.keys);
    this.signer = new SigningKeys(world.log, this.#keys);
    this.folders = new TemporaryFolders(world);
    const drivers = needs.drivers === "" ? { path: "" } : origin(needs.drivers);
    this.#drivers = new VolumeDrivers({ world, folder: "path" in drivers ? drivers.path : "", run });
    this.drivers = this.driversBehind(() => true);
  }

  /** Programs that are run only while `mayWrite` says so. */
  driversBehind(mayWrite: () => boolean): ControllerDrivers {
    return this.#drivers.behind(mayWrite);
  }

  /** Reads everything once. What cannot be read fails when it is used. */
  async read(): Promise<void> {
    await Promise.all([this.files.read(), this.#keys.read()]);
  }

  /** Watches for changes until `signal` aborts. */
  async follow(signal: AbortSignal): Promise<void> {
    await Promise.all([this.files.follow(signal), this.#keys.follow(signal)]);
  }
}
