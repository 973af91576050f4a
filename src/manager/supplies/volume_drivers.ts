import { errorText, type World } from "../../base/mod.ts";
import { Deadline, type ExecRunner } from "../../client/mod.ts";
import {
  type ControllerDrivers,
  type DriverAnswer,
  type DriverCall,
  DriverError,
  type VolumeDriver,
} from "../../controllers/mod.ts";
import { type DriverStatus, readDriverAnswer } from "./driver_answer.ts";
import { WaitingLine } from "./waiting_line.ts";

/** A machine has a few. */
const MOST_DRIVERS = 100;
/** Programs of one driver that run at the same time. */
const MOST_RUNNING = 32;
const CALL_TIMEOUT_MS = 120_000;
/** Volumes of all drivers wait for it when a manager starts. */
const INIT_TIMEOUT_MS = 30_000;
/** A driver that could not be used may lack something that comes later. */
const INIT_AGAIN_MS = 60_000;
const COMMANDS: ReadonlySet<string> = new Set(["attach", "detach", "isattached"]);

/** What {@link VolumeDrivers} needs. */
export interface VolumeDriversOptions {
  readonly world: Pick<World, "clock" | "files" | "log">;
  /** Where the drivers are; empty if there are none. */
  readonly folder: string;
  readonly run: ExecRunner;
}

/** What is known of the program of a driver. */
interface Known {
  readonly name: string;
  readonly program: string;
  /** What distinguishes it from its predecessor. */
  readonly version: string;
  /** Absent if it cannot be used. */
  readonly driver?: VolumeDriver;
  readonly checkedAtMs: number;
  /** Commands that it said it does not support. */
  readonly unsupported: Set<string>;
}

/**
 * The programs of FlexVolume drivers below a folder: `VENDOR~NAME/NAME`. Whoever may write there runs programs as the
 * manager's user.
 *
 * Contract:
 * 1. A driver can be used once its program has succeeded with `init`; that runs again when its file, or the file that a
 *    link leads to, has changed, and each minute after a failure.
 * 2. Only programs of drivers that were found are run, whatever a call names.
 * 3. A program that does not end within two minutes, `init` within half a minute, or writes more than 1 MiB to either
 *    stream, is ended and has failed.
 * 4. No more than 32 programs of a driver run at the same time; the rest wait, and no other driver does.
 * 5. No program is run for a call while this process may not write.
 * 6. A command that a driver does not support is not run again, until its file has changed.
 *
 * Upstream: `pkg/volume/flexvolume`, which waits for programs for ever, and watches the folders, so that it misses
 * changes behind links that lead elsewhere.
 */
export class VolumeDrivers {
  readonly #options: VolumeDriversOptions;
  readonly #running = new Map<string, WaitingLine>();
  #known: ReadonlyMap<string, Known> = new Map();
  #finding: Promise<readonly VolumeDriver[]> | undefined;
  #failure = "";

  constructor(options: VolumeDriversOptions) {
    this.#options = { ...options, folder: withoutSlash(options.folder) };
  }

  /** The drivers for controllers that work while `mayWrite` says so. */
  behind(mayWrite: () => boolean): ControllerDrivers {
    // Calls in the meantime share one search, and so one `init` of each driver.
    const find = () => this.#finding ??= this.#find().finally(() => this.#finding = undefined);
    return { find, call: (call, signal) => this.#call(call, mayWrite, signal) };
  }

  async #find(): Promise<readonly VolumeDriver[]> {
    try {
      const found = await Promise.all((await this.#folders()).map((folder) => this.#lookSafely(folder)));
      this.#known = new Map(found.flatMap((known) => known ? [[known.name, known]] : []));
      this.#failure = "";
    } catch (error) {
      const reason = errorText(error);
      if (reason !== this.#failure) this.#options.world.log.error("Cannot look for volume drivers", { err: error });
      this.#failure = reason;
    }
    return [...this.#known.values()].flatMap(({ driver }) => driver ?? []);
  }

  async #folders(): Promise<string[]> {
    const { world: { files, log }, folder } = this.#options;
    if (folder === "") return [];
    const names = (await files.list(folder)).filter((name) => !name.startsWith(".")).sort();
    if (names.length > MOST_DRIVERS) {
      log.warn("Skipped volume drivers: there are too many", { folder, count: names.length });
    }
    return names.slice(0, MOST_DRIVERS);
  }

  /** A folder that must not be looked into costs its own driver only. */
  async #lookSafely(entry: string): Promise<Known | undefined> {
    try {
      return await this.#look(entry);
    } catch (err) {
      this.#options.world.log.error("Skipped a volume driver: it cannot be looked at", { driver: entry, err });
    }
  }

  /** @returns What is known of the driver in a folder, which may be nothing. */
  async #look(entry: string): Promise<Known | undefined> {
    const { world: { files, clock }, folder } = this.#options;
    const at = `${folder}/${entry}`;
    const name = entry.replaceAll("~", "/");
    const program = `${at}/${name.slice(name.lastIndexOf("/") + 1)}`;
    if (!isDriverName(name) || !(await files.look(at))?.isFolder) return undefined;
    const [direct, file] = [await files.look(program), await files.look(program, { followsLinks: true })];
    if (!direct || !file || file.isFolder) return undefined;
    // A link may be replaced by another one, and so may what it leads to.
    const version = `${direct.modifiedMs} ${direct.isLink} ${file.modifiedMs} ${file.mode}`;
    const before = this.#known.get(name);
    const isCurrent = before?.version === version &&
      (before.driver || clock.monotonicMs() - before.checkedAtMs < INIT_AGAIN_MS);
    return isCurrent ? before : await this.#init({ name, program, version });
  }

  async #init(found: Pick<Known, "name" | "program" | "version">): Promise<Known> {
    const { world: { clock, log } } = this.#options;
    const known = { ...found, unsupported: new Set<string>() };
    const { name, program } = found;
    try {
      const { isSupported, attaches } = await this.#run(program, ["init"], INIT_TIMEOUT_MS);
      if (!isSupported) throw new DriverError("Not supported");
      log.info("Found a volume driver", { driver: name, attaches });
      return { ...known, driver: { name, attaches }, checkedAtMs: clock.monotonicMs() };
    } catch (error) {
      log.error("Skipped a volume driver: it cannot be used", { driver: name, program, err: error });
      return { ...known, checkedAtMs: clock.monotonicMs() };
    }
  }

  async #call(
    { driver, command, args }: DriverCall,
    mayWrite: () => boolean,
    signal: AbortSignal,
  ): Promise<DriverAnswer | undefined> {
    const known = this.#known.get(driver);
    if (!known?.driver || !COMMANDS.has(command)) throw new DriverError(`no volume plugin matched name: ${driver}`);
    if (known.unsupported.has(command)) return undefined;
    const line = this.#running.get(driver) ?? new WaitingLine(MOST_RUNNING);
    this.#running.set(driver, line);
    const status = await line.run(signal, async () => {
      if (!mayWrite()) throw new DriverError(`${command} was not run: this process may not write any more`);
      return await this.#run(known.program, [command, ...args], CALL_TIMEOUT_MS, signal);
    });
    if (line.isIdle) this.#running.delete(driver);
    if (status.isSupported) return { device: status.device, isAttached: status.isAttached };
    known.unsupported.add(command);
    return undefined;
  }

  async #run(
    program: string,
    args: readonly string[],
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<DriverStatus> {
    const { world: { clock, log }, run } = this.#options;
    const [command] = args;
    const reason = () => new DriverError(`${command} did not end within ${timeoutMs / 1000} s`);
    using deadline = new Deadline(clock, { signal, timeoutMs, reason });
    let ended: Awaited<ReturnType<ExecRunner>>;
    try {
      const request = { command: program, args, env: {}, interactive: false, collectsErrors: true };
      ended = await run({ ...request, signal: deadline.signal });
    } catch (error) {
      if (error instanceof DriverError || signal?.aborted) throw error;
      throw new DriverError(`${command} could not be run: ${errorText(error)}`, { cause: error });
    }
    const status = readDriverAnswer(command, ended.stdout);
    if (ended.code === 0 || !status.isSupported) return status;
    log.error("A volume driver failed without saying why", { program, command, code: ended.code });
    throw new DriverError(`exit status ${ended.code}`);
  }
}

function withoutSlash(folder: string): string {
  return folder.endsWith("/") ? withoutSlash(folder.slice(0, -1)) : folder;
}

/** Whether a driver may be called so: `VENDOR/NAME` as labels are. */
function isDriverName(name: string): boolean {
  const [last, vendor, ...more] = name.split("/").reverse();
  if (more.length > 0 || !isPart(last, 63)) return false;
  return vendor === undefined || isPart(vendor, 253) && vendor === vendor.toLowerCase() && !vendor.includes("_");
}

function isPart(text: string, most: number): boolean {
  return text.length <= most && /^[A-Za-z0-9._-]+$/.test(text) && /^[A-Za-z0-9]/.test(text) &&
    /[A-Za-z0-9]$/.test(text);
}
