/** The values that controllers get for each type of flag. Durations are in milliseconds. */
export interface FlagValues {
  readonly bool: boolean;
  readonly string: string;
  readonly int32: number;
  readonly float: number;
  readonly float32: number;
  readonly duration: number;
}

/** Types of flags that set options of controllers. */
export type OptionType = keyof FlagValues;

/** The value of an option. */
export type OptionValue = FlagValues[OptionType];

/** An option that a flag sets. */
export interface FlagOption<T extends OptionType> {
  readonly flag: string;
  readonly type: T;
  /** Durations are written as text: `5m0s`. */
  readonly default: T extends "duration" ? string : FlagValues[T];
  /** Its text in `--help`. */
  readonly help: string;
  /** Its section in `--help`; by default the controller's name. */
  readonly section?: string;
  /** Its path in the configuration document: `DeploymentController.ConcurrentDeploymentSyncs`. */
  readonly configz: string;
  /** Why a well-formed value is not acceptable, if it is not. */
  readonly objection?: (value: FlagValues[T], flag: string) => string | undefined;
}

/** A value in the configuration document that no flag sets. */
export interface FixedOption {
  readonly fixed: unknown;
  readonly configz: string;
}

/** An option of a controller. */
export type OptionRow = { [T in OptionType]: FlagOption<T> }[OptionType] | FixedOption;

/** The options of a controller, in the order of the configuration document. */
export type OptionRows = Readonly<Record<string, OptionRow>>;

/** The option values that a controller is built with. */
export type OptionsOf<O extends OptionRows> = {
  readonly [K in keyof O as O[K] extends { readonly type: OptionType } ? K : never]: O[K] extends
    { readonly type: infer T extends OptionType } ? FlagValues[T] : never;
};

/** For worker counts and periods, which must be positive for anything to happen. */
export function notPositive(value: number, flag: string): string | undefined {
  return value <= 0 ? `--${flag} must be greater than 0, but got ${value}` : undefined;
}

/** Rejects NaN, which Go's flags accept as a number. */
export function notNumber(value: number, flag: string): string | undefined {
  return Number.isNaN(value) ? `--${flag} must be a number, but got NaN` : undefined;
}

/** For numbers with an upper and a lower limit. */
export function outside(least: number, most: number): (value: number, flag: string) => string | undefined {
  return (value, flag) => {
    if (value < least) return `--${flag} must not be less than ${least}, but got ${value}`;
    return value > most ? `--${flag} must not be more than ${most}, but got ${value}` : undefined;
  };
}
