import { errorText, type FileEntry, type World } from "../../base/mod.ts";
import { type ControllerFolders, FolderError } from "../../controllers/mod.ts";

/** Folders are made and removed only below this. Users see these paths in volumes. */
const ROOT = "/tmp";
const PARENT = `${ROOT}/hostpath_pv`;
const MODE = 0o750;
const ROOT_USER = 0;
/** Mode bits: the group or others may change the folder's contents. */
const OTHERS_WRITE = 0o022;

/**
 * Folders below this host's `/tmp`. Users who may create volumes decide which are removed, and users who may log on
 * here can create links there; neither may cause anything else to be removed.
 *
 * Contract:
 * 1. Only what is below `/tmp` is removed, by a path without `.` and `..`; a link is removed itself, not what it leads
 *    to.
 * 2. No folder on the way may be a link, and only root and this process's user may change its content.
 * 3. New folders have random names, in a folder that nobody else can change.
 * 4. Removing a path that does not exist succeeds.
 *
 * Upstream: `pkg/volume/hostpath`, which removes every path that has `/tmp/` in it.
 */
export class TemporaryFolders implements ControllerFolders {
  readonly #world: Pick<World, "files" | "random">;
  #ownUser: number | null | undefined;

  constructor(world: Pick<World, "files" | "random">) {
    this.#world = world;
  }

  async make(): Promise<string> {
    const { files, random } = this.#world;
    const path = `${PARENT}/${random.uuid()}`;
    try {
      if (!await files.look(PARENT)) await this.#makeParent();
      await this.#checkWay(PARENT);
      await files.makeFolder(path, { mode: MODE });
    } catch (error) {
      throw asFolderError(`mkdir ${path}`, error);
    }
    return path;
  }

  /** Another of our own calls may have made it meanwhile. */
  async #makeParent(): Promise<void> {
    const { files } = this.#world;
    await files.makeFolder(PARENT, { mode: MODE }).catch(async (error) => {
      if (!await files.look(PARENT)) throw error;
    });
  }

  async remove(path: string): Promise<void> {
    const { files } = this.#world;
    const [first, ...names] = path.split("/").filter((name, i) => i === 0 || name !== "");
    const isBelow = first === "" && names.shift() === ROOT.slice(1) && names.length > 0 && names.every(isPlain);
    if (!isBelow) throw new FolderError(`host_path deleter only supports /tmp/.+ but received provided ${path}`);
    const target = `${ROOT}/${names.join("/")}`;
    try {
      let way = ROOT;
      for (const name of names.slice(0, -1)) {
        way = `${way}/${name}`;
        if (!await files.look(way)) return;
        await this.#checkWay(way);
      }
      if (await files.look(target)) await files.remove(target);
    } catch (error) {
      throw asFolderError(`unlink ${target}`, error);
    }
  }

  /** @throws {FolderError} If somebody else could redirect this folder while we work in it. */
  async #checkWay(path: string): Promise<void> {
    const entry = await this.#world.files.look(path);
    if (!entry?.isFolder || entry.isLink) throw new FolderError(`${path} is not a folder`);
    const isOwn = entry.owner === ROOT_USER || entry.owner === await this.#user();
    if (!isOwn || mayOthersChange(entry)) throw new FolderError(`others may change what is in ${path}`);
  }

  /** This process's user, who owns what it creates. */
  async #user(): Promise<number | null> {
    if (this.#ownUser !== undefined) return this.#ownUser;
    const { files, random } = this.#world;
    const probe = `${ROOT}/kubeloop-${random.uuid()}`;
    await files.makeFolder(probe, { mode: 0o700 });
    const entry = await files.look(probe);
    await files.remove(probe);
    return this.#ownUser = entry?.owner ?? null;
  }
}

function isPlain(name: string): boolean {
  return name !== "." && name !== ".." && !name.includes("\0");
}

function mayOthersChange({ mode }: FileEntry): boolean {
  return mode !== null && (mode & OTHERS_WRITE) !== 0;
}

function asFolderError(doing: string, error: unknown): FolderError {
  return new FolderError(`${doing}: ${errorText(error)}`, { cause: error });
}
