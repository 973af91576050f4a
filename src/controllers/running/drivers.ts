/** A program that attaches volumes of a kind of its own: a FlexVolume driver. */
export interface VolumeDriver {
  /** As volumes name it: `vendor/name`. */
  readonly name: string;
  readonly attaches: boolean;
}

/** A command to a driver. */
export interface DriverCall {
  readonly driver: string;
  readonly command: "attach" | "detach" | "isattached";
  /** What follows the command. */
  readonly args: readonly string[];
}

/** A driver's answer after success. */
export interface DriverAnswer {
  /** The path of the device on the node; empty if there is none. */
  readonly device: string;
  readonly isAttached: boolean;
}

/** Runs the programs of volume drivers, which are in a folder that a flag names. */
export interface ControllerDrivers {
  /**
   * Looks which drivers there are by now; what cannot be used is left out.
   *
   * @returns In the order of their names.
   * @throws {UndeclaredNeedError} If no row declares drivers.
   */
  find(): Promise<readonly VolumeDriver[]>;
  /**
   * Runs the program of a driver that was found.
   *
   * @returns `undefined` if the driver does not support the command.
   * @throws {UndeclaredNeedError} If no row declares drivers.
   * @throws {DriverError} If there is no such driver, it failed, or did not end in time.
   */
  call(call: DriverCall, signal: AbortSignal): Promise<DriverAnswer | undefined>;
}

/** A driver did not do what it was asked to. */
export class DriverError extends Error {
  override readonly name = "DriverError";
}
