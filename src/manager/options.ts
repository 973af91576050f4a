import { Quantity } from "../api/mod.ts";
import { type ControllerOptions, type ControllerRow, isBuilt } from "../controllers/mod.ts";
import {
  type AuthenticationOptions,
  authenticationOptions,
  type AuthorizationOptions,
  authorizationOptions,
} from "./access_options.ts";
import { type CloudOptions, cloudOptions } from "./cloud/mod.ts";
import { controllerOptions } from "./controller_options.ts";
import { canonicalEntries, selectControllers } from "./controller_selection.ts";
import { decideFeatureGates, type FeatureGates } from "./feature_gates.ts";
import { FlagError, type Flags } from "./flags.ts";
import type { ManagerFlags } from "./manager_flags.ts";
import { assignGroups, type GroupAssignment } from "./groups/mod.ts";
import { type MetricsOptions, metricsOptions } from "./metrics_options.ts";
import { optionObjections } from "./option_checks.ts";
import { reportedVersion } from "./reported_version.ts";
import { type ServingOptions, servingOptions } from "./serving_options.ts";

/** The manager's options from its command line. Times in milliseconds. */
export interface ManagerOptions extends ServingOptions {
  readonly kubeconfig: string;
  readonly master: string;
  readonly authentication: AuthenticationOptions;
  readonly authorization: AuthorizationOptions;
  readonly gates: FeatureGates;
  readonly metricsView: MetricsOptions;
  /** The flags that these were read from. */
  readonly flags: ManagerFlags;
  /** The version that this process reports. */
  readonly reportedVersion: string;
  readonly qps: number;
  readonly burst: number;
  /** Whether each controller acts as its own ServiceAccount. */
  readonly useServiceAccountCredentials: boolean;
  /** Canonical names of the selected controllers. */
  readonly controllers: ReadonlySet<string>;
  /** The entries of `--controllers`, with canonical names. */
  readonly controllerEntries: readonly string[];
  /** Which controllers share a thread; empty for a single thread. */
  readonly controllerGroups: readonly GroupAssignment[];
  /** Whether `/healthz` fails once a group stays down. */
  readonly unhealthyWhenGroupDown: boolean;
  /** How much memory the process may use; 0 for no limit. */
  readonly memoryLimitBytes: number;
  /** Whether caches are filled while another process leads. */
  readonly warmStandby: boolean;
  readonly minResyncPeriodMs: number;
  readonly controllerStartIntervalMs: number;
  readonly controllerShutdownTimeoutMs: number;
  readonly rootCaFile: string;
  /** Absent if the program has no cloud provider. */
  readonly cloud?: CloudOptions;
  readonly election: ElectionOptions;
  readonly logging: LoggingOptions;
  readonly controllerOptions: ControllerOptions;
}

export interface ElectionOptions {
  readonly enabled: boolean;
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
  readonly resourceName: string;
  readonly resourceNamespace: string;
}

export interface LoggingOptions {
  readonly format: "text" | "json";
  readonly verbosity: number;
  readonly vmodule: string;
}

/** The defaults of Go's client for 0. */
const GO_CLIENT = { qps: 5, burst: 10 };

/**
 * Reads and checks the options.
 *
 * @param leftOut Controllers that do not run, whatever `--controllers` says.
 * @throws {FlagError} If a value is out of range, or values contradict each other; several objections are joined as
 *   upstream does.
 * @throws {UnknownControllerError} If `--controllers` names one that does not exist.
 */
export function managerOptions(flags: ManagerFlags, leftOut: ReadonlySet<string> = new Set()): ManagerOptions {
  const entries = flags.strings("controllers");
  const { controllers: known } = flags.component;
  const controllers = selectControllers(entries, known).difference(leftOut).union(builtFirst(flags));
  const { gates, objections: gateObjections } = decideFeatureGates({
    gates: flags.strings("feature-gates"),
    emulatedVersion: flags.strings("emulated-version"),
    minCompatibilityVersion: flags.strings("min-compatibility-version"),
  });
  const options: ManagerOptions = {
    kubeconfig: flags.string("kubeconfig"),
    master: flags.string("master"),
    ...servingOptions(flags),
    authentication: authenticationOptions(flags),
    authorization: authorizationOptions(flags),
    gates,
    metricsView: metricsOptions(flags),
    flags,
    reportedVersion: reportedVersion(flags.string("version")),
    qps: flags.number("kube-api-qps") || GO_CLIENT.qps,
    burst: flags.number("kube-api-burst") || GO_CLIENT.burst,
    useServiceAccountCredentials: flags.bool("use-service-account-credentials"),
    controllers,
    controllerEntries: canonicalEntries(entries, known),
    controllerGroups: assignGroups(flags.strings("controller-groups"), {
      known,
      enabled: known.filter((row) => isBuilt(row) && controllers.has(row.name)),
      processors: navigator.hardwareConcurrency,
    }),
    unhealthyWhenGroupDown: flags.bool("unhealthy-when-group-down"),
    memoryLimitBytes: Number(Quantity.parse(flags.string("memory-limit")).roundedUp()),
    warmStandby: flags.bool("warm-standby"),
    minResyncPeriodMs: flags.durationMs("min-resync-period"),
    controllerStartIntervalMs: flags.durationMs("controller-start-interval"),
    controllerShutdownTimeoutMs: flags.durationMs("controller-shutdown-timeout"),
    rootCaFile: flags.has("root-ca-file") ? flags.string("root-ca-file") : "",
    cloud: cloudOptions(flags),
    election: electionOptions(flags),
    logging: loggingOptions(flags),
    controllerOptions: controllerOptions(flags, gates),
  };
  const objections = [...gateObjections, ...optionObjections(flags, options)];
  if (objections.length > 0) {
    throw new FlagError(objections.length === 1 ? objections[0] : `[${objections.join(", ")}]`);
  }
  return options;
}

/** Controllers that `--controllers` does not affect: they run if their signing keys are configured. */
function builtFirst(flags: ManagerFlags): ReadonlySet<string> {
  const rows = flags.component.controllers.filter((row) => row.builtFirst);
  const hasKeys = ({ needs }: ControllerRow) => (needs?.keys ?? []).every((flag) => flags.string(flag) !== "");
  return new Set(rows.filter(hasKeys).map(({ name }) => name));
}

function electionOptions(flags: Flags): ElectionOptions {
  return {
    enabled: flags.bool("leader-elect"),
    leaseDurationMs: flags.durationMs("leader-elect-lease-duration"),
    renewDeadlineMs: flags.durationMs("leader-elect-renew-deadline"),
    retryPeriodMs: flags.durationMs("leader-elect-retry-period"),
    resourceName: flags.string("leader-elect-resource-name"),
    resourceNamespace: flags.string("leader-elect-resource-namespace"),
  };
}

function loggingOptions(flags: Flags): LoggingOptions {
  return {
    format: flags.string("logging-format") === "json" ? "json" : "text",
    verbosity: flags.number("v"),
    vmodule: flags.string("vmodule"),
  };
}
