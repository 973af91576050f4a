import type { World } from "../../base/mod.ts";
import type { ControllerFolders, ControllerNeeds, Supplies } from "../../controllers/mod.ts";
import { type FileOrigin, RotatingFiles } from "./rotating_files.ts";
import { SigningKeys } from "./signing_keys.ts";
import { TemporaryFolders } from "./temporary_folders.ts";

/** Supplies for some controllers' needs, kept up to date. Files with keys are never handed out. */
export class OpenSupplies implements Supplies {
  readonly files: RotatingFiles;
  readonly signer: SigningKeys;
  readonly folders: ControllerFolders;
  readonly #keys: RotatingFiles;

  constructor(
    world: World,
    needs: Required<ControllerNeeds>,
    origin: (flag: string) => FileOrigin = () => ({ text: "" }),
  ) {
    const open = (flags: readonly string[]) =>
      new RotatingFiles(world, new Map(flags.map((flag) => [flag, origin(flag)])));
    this.files = open(needs.files);
    this.#keys = open(needs.keys);
    this.signer = new SigningKeys(world.log, this.#keys);
    this.folders = new TemporaryFolders(world);
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
