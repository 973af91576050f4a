import { formatDuration, Quantity } from "../api/mod.ts";
import type { ControllerOptions } from "../controllers/mod.ts";
import { type FeatureGates, isGateOn } from "./feature_gates.ts";
import type { Flags } from "./flags.ts";
import type { ManagerFlags } from "./manager_flags.ts";
import { servingObjections } from "./serving_options.ts";

/** Options that are checked besides the flags themselves. */
export interface CheckedOptions {
  readonly gates: FeatureGates;
  readonly controllerOptions: ControllerOptions;
}

const METRIC = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const METRIC_LABEL = /^[a-zA-Z_:][a-zA-Z0-9_:]*,[a-zA-Z_][a-zA-Z0-9_]*$/;
const HIDDEN_SINCE = "1.35";

/** Objections to well-formed values: what the flag accepts, in upstream's words if there are any. */
export function optionObjections(flags: ManagerFlags, { gates, controllerOptions }: CheckedOptions): string[] {
  return [
    ...servingObjections(flags),
    ...loggingObjections(flags, gates),
    ...metricsObjections(flags),
    ...cloudObjections(flags),
    ...clientObjections(flags),
    ...controllerObjections(flags, controllerOptions),
    ...requestHeaderObjections(flags),
    ...curveObjections(flags),
    ...electionObjections(flags, gates),
    ...memoryObjections(flags),
  ];
}

function loggingObjections(flags: Flags, gates: FeatureGates): string[] {
  const objections: string[] = [];
  const format = flags.string("logging-format");
  if (flags.durationMs("log-flush-frequency") <= 0) {
    const frequency = formatDuration(flags.durationMs("log-flush-frequency"));
    objections.push(
      `flushFrequency: Invalid value: ${
        JSON.stringify(frequency)
      }: Must be greater than zero: see --log-flush-frequency`,
    );
  }
  if (format !== "text" && format !== "json") {
    const what = `format: Invalid value: ${JSON.stringify(format)}: Unsupported log format`;
    objections.push(`${what}: --logging-format takes text or json`);
  }
  if (format === "json" && !isGateOn(gates, "LoggingBetaOptions")) {
    objections.push("format: Forbidden: Log format json is disabled, see LoggingBetaOptions feature");
  }
  if (format === "json" && flags.string("vmodule") !== "") {
    objections.push("vmodule: Forbidden: Only supported for text log format: leave --vmodule out, or --logging-format");
  }
  for (const kind of isGateOn(gates, "LoggingAlphaOptions") ? [] : ["text", "json"]) {
    const isGiven = { splitStream: flags.bool(`log-${kind}-split-stream`), infoBufferSize: hasBuffer(flags, kind) };
    for (const [option, given] of Object.entries(isGiven)) {
      if (given) objections.push(`options.${kind}.${option}: Forbidden: Feature LoggingAlphaOptions is disabled`);
    }
  }
  return objections;
}

function hasBuffer(flags: Flags, kind: string): boolean {
  return !/^[+-]?[0.]+[a-zA-Z]*$/.test(flags.string(`log-${kind}-info-buffer-size`));
}

function metricsObjections(flags: Flags): string[] {
  const objections: string[] = [];
  const disabled = flags.strings("disabled-metrics");
  const odd = disabled.find((name) => !METRIC.test(name));
  if (odd !== undefined) {
    const what = `metrics.disabledMetrics: Invalid value: ${
      JSON.stringify(disabled)
    }: must be fully qualified metric names`;
    objections.push(
      `${what} matching ${JSON.stringify(METRIC.source)}, got ${JSON.stringify(odd)}: see --disabled-metrics`,
    );
  }
  const shown = flags.string("show-hidden-metrics-for-version");
  if (shown !== "" && shown !== HIDDEN_SINCE) {
    const what = `metrics.showHiddenMetricsForVersion: Invalid value: ${
      JSON.stringify(shown)
    }: must be omitted or have`;
    objections.push(
      `${what} the value '${HIDDEN_SINCE}'; only the previous minor version is allowed: see --show-hidden-metrics-for-version`,
    );
  }
  const labels = flags.pairs("allow-metric-labels");
  if ([...labels.keys()].some((key) => !METRIC_LABEL.test(key))) {
    objections.push(
      `metrics.allowListMapping: Invalid value: ${JSON.stringify(Object.fromEntries(labels))}: must have keys with ` +
        "format `metricName,labelName`: see --allow-metric-labels",
    );
  }
  return objections;
}

function cloudObjections(flags: ManagerFlags): string[] {
  const provider = flags.string("cloud-provider");
  if (flags.component.hasCloud) {
    return [...webhookObjections(flags), ...provider === "" ? ["--cloud-provider cannot be empty"] : []];
  }
  if (["", "external"].includes(provider)) return [];
  return [
    `cloud provider ${JSON.stringify(provider)} was specified, but built-in cloud providers are disabled. ` +
    "Please set --cloud-provider=external and migrate to an external cloud provider",
  ];
}

const HIGHEST_PORT = 65_535;

/** No provider in this version has a webhook. */
function webhookObjections(flags: Flags): string[] {
  const port = flags.number("webhook-secure-port");
  const named = new Set(flags.strings("webhooks").filter((name) => name !== "*").map((name) => name.replace(/^-/, "")));
  const objections = [...named].sort().map((name) => `${JSON.stringify(name)} is not in the list of known webhooks`);
  if (port < 0 || port > HIGHEST_PORT) {
    objections.push(
      `--webhook-secure-port ${port} must be between 0 and ${HIGHEST_PORT}, inclusive. ` +
        "A value of 0 disables the webhook endpoint entirely.",
    );
  }
  if (port !== 0 && port === flags.number("secure-port")) {
    objections.push("--webhook-secure-port cannot be the same value as --secure-port");
  }
  return objections;
}

function clientObjections(flags: Flags): string[] {
  if (Number.isNaN(flags.number("kube-api-qps"))) return ["--kube-api-qps must be a number, but got NaN"];
  const burst = flags.number("kube-api-burst");
  if (burst >= 0 || flags.number("kube-api-qps") < 0) return [];
  return [`--kube-api-burst must be at least 1 where --kube-api-qps limits requests, but got ${burst}`];
}

function requestHeaderObjections(flags: Flags): string[] {
  const names = ["username-headers", "group-headers", "extra-headers-prefix", "allowed-names", "uid-headers"];
  const objections = names.map((name) => `requestheader-${name}`)
    .filter((name) => flags.strings(name).some((value) => value.trim() === ""))
    .map((name) => `empty value in ${JSON.stringify(name)}`);
  const uidHeaders = flags.strings("requestheader-uid-headers");
  if (uidHeaders.length > 0 && !uidHeaders.some((name) => name.toLowerCase() === "x-remote-uid")) {
    objections.push(
      "--requestheader-uid-headers is set without specifying the standard X-Remote-Uid header - API aggregation will " +
        "not work",
    );
  }
  return objections;
}

/** A flag without effect is still checked. */
function controllerObjections({ component }: ManagerFlags, all: CheckedOptions["controllerOptions"]): string[] {
  const { values } = all;
  return component.controllers.flatMap(({ name, options, objections }) => [
    ...Object.entries(options).flatMap(([key, row]) => {
      // Each row's function takes the value of its own flag type.
      const why = "flag" in row ? row.objection?.(values[name][key] as never, row.flag) : undefined;
      return why === undefined ? [] : [why];
    }),
    ...objections?.(values[name], all) ?? [],
  ]);
}

/** TLS groups by number: P-256, P-384, P-521, X25519, and the three with ML-KEM. */
const CURVES = [23, 24, 25, 29, 4587, 4588, 4589];

function curveObjections(flags: Flags): string[] {
  const ids = flags.strings("tls-curve-preferences").map(Number);
  const odd = ids.find((id) => !CURVES.includes(id));
  if (odd !== undefined) {
    return [`curve preference ${odd} is not supported: --tls-curve-preferences takes ${CURVES.join(", ")}`];
  }
  const twice = ids.find((id, i) => ids.indexOf(id) !== i);
  return twice === undefined ? [] : [`duplicate curve preference ${twice}: see --tls-curve-preferences`];
}

/** Less than any process takes; `512m` is half a byte. */
const LEAST_MEMORY_BYTES = 64n * 1024n * 1024n;

function memoryObjections(flags: Flags): string[] {
  const text = flags.string("memory-limit");
  const bytes = Quantity.parse(text).roundedUp();
  if (bytes === 0n || bytes >= LEAST_MEMORY_BYTES) return [];
  return [`--memory-limit must be 0 or at least 64Mi: it is ${JSON.stringify(text)}`];
}

function electionObjections(flags: Flags, gates: FeatureGates): string[] {
  if (!flags.bool("leader-elect")) return [];
  const objections: string[] = [];
  const names = ["lease-duration", "renew-deadline", "retry-period"].map((name) => `leader-elect-${name}`);
  const values = names.map((name) => `--${name} ${flags.string(name)}`);
  const [lease, renew, retry] = names.map((name) => flags.durationMs(name));
  if (flags.string("leader-elect-resource-lock") !== "leases") {
    objections.push('resourceLock value must be "leases": see --leader-elect-resource-lock');
  }
  if (lease <= renew) objections.push(`leaseDuration must be greater than renewDeadline: ${values[0]}, ${values[1]}`);
  if (renew <= retry * 1.2) {
    objections.push(`renewDeadline must be greater than retryPeriod*JitterFactor: ${values[1]}, ${values[2]} x 1.2`);
  }
  if (lease < 1000) objections.push(`leaseDuration must be greater than zero: ${values[0]}, at least 1s`);
  if (retry <= 0) objections.push(`retryPeriod must be greater than zero: ${values[2]}`);
  for (const name of ["name", "namespace"]) {
    if (flags.string(`leader-elect-resource-${name}`) === "") {
      objections.push(`--leader-elect-resource-${name} must not be empty`);
    }
  }
  if (isGateOn(gates, "CoordinatedLeaderElection")) {
    objections.push(
      "feature gate CoordinatedLeaderElection is not in this version: --feature-gates takes " +
        "CoordinatedLeaderElection=false",
    );
  }
  return objections;
}
