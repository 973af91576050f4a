/** Flags that cannot be used: one line in upstream's words, which names the flag and what it takes. */
import { assert, assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { FlagError, flagsOf, KUBE_CONTROLLER_MANAGER, managerFlags, managerOptions } from "../../../src/manager/mod.ts";

const refusal = (...args: string[]): string =>
  assertThrows(() => managerOptions(managerFlags(args)), Error, undefined, args.join(" ")).message;

/** Text that is of no type but those that take any. */
const ODD: Record<string, [value: string, why: string]> = {
  bool: ["maybe", 'strconv.ParseBool: parsing "maybe": invalid syntax (it takes true or false)'],
  int: ["1.5", 'strconv.ParseInt: parsing "1.5": invalid syntax (it takes a whole number)'],
  int32: ["3000000000", 'strconv.ParseInt: parsing "3000000000": value out of range (it takes a whole number)'],
  int32Slice: ["1,x", 'strconv.ParseInt: parsing "x": invalid syntax (it takes whole numbers, separated by commas)'],
  float: ["much", 'strconv.ParseFloat: parsing "much": invalid syntax (it takes a number)'],
  float32: ["", 'strconv.ParseFloat: parsing "": invalid syntax (it takes a number)'],
  duration: ["12", 'time: missing unit in duration "12" (it takes a duration such as 1h30m or 500ms)'],
  quantity: [
    "much",
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$' " +
    "(it takes a quantity such as 500k or 1Mi)",
  ],
  ip: ["300.1.1.1", 'failed to parse IP: "300.1.1.1" (it takes an IPv4 or IPv6 address)'],
  Level: ["-1", 'strconv.ParseUint: parsing "-1": invalid syntax (it takes a whole number from 0 on)'],
  version: ["1.2", 'strconv.ParseBool: parsing "1.2": invalid syntax (it takes true, false, raw or vX.Y.Z)'],
  "pattern=N,...": [
    "a",
    '"a" does not have the pattern=N format (it takes NAME=LEVEL, separated by commas; * and ? are wildcards in a name)',
  ],
  namedCertKey: [
    "a",
    "expected comma separated certificate and key file paths " +
    "(it takes CERTFILE,KEYFILE or CERTFILE,KEYFILE:NAME,NAME)",
  ],
  stringToString: ["x", "x must be formatted as key=value (it takes key=value, separated by commas)"],
};
const TAKES_ANY_TEXT = ["string", "strings", "colonSeparatedMultimapStringString"];

Deno.test("Flags: every flag refuses a value that is not of its type, in a line that names it and what it takes", () => {
  let refused = 0;
  for (const { name, type } of flagsOf(KUBE_CONTROLLER_MANAGER)) {
    if (TAKES_ANY_TEXT.includes(type)) continue;
    const [value, why] = ODD[type];
    const shown = name === "v" ? "-v, --v" : `--${name}`;
    const error = assertThrows(() => managerFlags([`--${name}=${value}`]), FlagError);
    assertEquals(error.message, `invalid argument ${JSON.stringify(value)} for ${JSON.stringify(shown)} flag: ${why}`);
    refused++;
  }
  assert(refused > 90, `${refused} flags have a type`);
});

Deno.test("Flags: a name that is not defined, or a value of the wrong type, is refused, as is a flag without its value: by their names", () => {
  const cases: [args: string[], message: string][] = [
    [["--nosuchflag"], "unknown flag: --nosuchflag"],
    [["--no-such-flag=1"], "unknown flag: --no-such-flag"],
    [["-x"], "unknown shorthand flag: 'x' in -x"],
    [["--kubeconfig"], "flag needs an argument: --kubeconfig"],
  ];
  for (const [args, message] of cases) assertEquals(refusal(...args), message);
  assertMatch(refusal("--secure-port=x"), /^invalid argument "x" for "--secure-port" flag: /);
});

Deno.test("managerOptions refuses what cannot work, naming the flag, upstream's words first", () => {
  const cases: [args: string[], words: string, flag: string][] = [
    [["--leader-elect-lease-duration=10s"], "leaseDuration must be greater than renewDeadline", "-lease-duration 10s"],
    [
      ["--leader-elect-retry-period=9s"],
      "renewDeadline must be greater than retryPeriod*JitterFactor",
      "--leader-elect-retry-period 9s",
    ],
    [["--leader-elect-resource-lock=endpoints"], 'resourceLock value must be "leases"', "--leader-elect-resource-lock"],
    [["--leader-elect-resource-name="], "--leader-elect-resource-name must not be empty", ""],
    [
      ["--logging-format=xml"],
      'format: Invalid value: "xml": Unsupported log format',
      "--logging-format takes text or",
    ],
    [
      ["--logging-format=json", "--feature-gates=LoggingBetaOptions=false"],
      "format: Forbidden: Log format json is disabled, see LoggingBetaOptions feature",
      "",
    ],
    [["--logging-format=json", "--vmodule=a=1"], "vmodule: Forbidden: Only supported for text log format", "--vmodule"],
    [["--log-text-split-stream"], "options.text.splitStream: Forbidden: Feature LoggingAlphaOptions is disabled", ""],
    [
      ["--log-json-info-buffer-size=1Ki"],
      "options.json.infoBufferSize: Forbidden: Feature LoggingAlphaOptions is disabled",
      "",
    ],
    [["--concurrent-gc-syncs=0"], "--concurrent-gc-syncs must be greater than 0, but got 0", ""],
    [["--concurrent-replicaset-syncs=-1"], "--concurrent-replicaset-syncs must be greater than 0, but got -1", ""],
    [["--namespace-sync-period=0s"], "--namespace-sync-period must be greater than 0, but got 0", ""],
    [["--kube-api-burst=-1"], "--kube-api-burst must be at least 1", ""],
    [["--memory-limit=512m"], "--memory-limit must be 0 or at least 64Mi", 'it is "512m"'],
    [["--memory-limit=67108863"], "--memory-limit must be 0 or at least 64Mi", ""],
    [["--memory-limit=-1Gi"], "--memory-limit must be 0 or at least 64Mi", ""],
    [["--secure-port=70000"], "--secure-port 70000 must be between 0 and 65535, inclusive", ""],
    [["--tls-cert-file=/a"], "--tls-cert-file and --tls-private-key-file must be given together", ""],
    [["--tls-min-version=1.3"], 'unknown tls version "1.3"', "--tls-min-version takes VersionTLS10, VersionTLS11, "],
    [["--tls-cipher-suites=foo"], "Cipher suite foo not supported or doesn't exist", "--tls-cipher-suites takes TLS_"],
    [
      ["--tls-cipher-suites=TLS_RSA_WITH_RC4_128_SHA"],
      "--tls-cipher-suites names none that this runtime has: TLS_",
      "",
    ],
    [["--http2-max-streams-per-connection=-1"], "--http2-max-streams-per-connection -1 can not be a negative", ""],
    [
      ["--cloud-provider=aws"],
      'cloud provider "aws" was specified, but built-in',
      "Please set --cloud-provider=external",
    ],
    [
      ["--cidr-allocator-type=X"],
      "built-in cloud providers are disabled. The ipam X is not",
      "--cidr-allocator-type takes",
    ],
    [
      ["--feature-gates=StorageVersionMigrator=true", "--enable-garbage-collector=false"],
      "storage version migrator requires garbage collector",
      "needs --enable-garbage-collector",
    ],
    [["--disabled-metrics=a-b"], 'metrics.disabledMetrics: Invalid value: ["a-b"]', "see --disabled-metrics"],
    [
      ["--show-hidden-metrics-for-version=1.2"],
      "metrics.showHiddenMetricsForVersion: Invalid value: \"1.2\": must be omitted or have the value '1.35'",
      "see --show-hidden-metrics-for-version",
    ],
    [["--allow-metric-labels=x=1"], 'metrics.allowListMapping: Invalid value: {"x":"1"}', "see --allow-metric-labels"],
    [["--controllers=foo"], '"foo" is not in the list of known controllers', "--controllers takes *, or NAME or -NAME"],
    [["--feature-gates=X=true"], "unrecognized feature gate: X", "--feature-gates takes"],
    [["--feature-gates=CoordinatedLeaderElection=true"], "feature gate CoordinatedLeaderElection is not in", ""],
    [["--version=v1.2.3"], 'invalid argument "v1.2.3" for "--version" flag: version "v1.2.3" must match', ""],
    [["--version=v1"], 'invalid argument "v1" for "--version" flag: illegal version string "v1"', "(it takes true, "],
    [
      ["--version=vx"],
      'invalid argument "vx" for "--version" flag: could not parse "vx" as version',
      "(it takes true, ",
    ],
    [["--kube-api-qps=NaN"], "--kube-api-qps must be a number, but got NaN", ""],
    [["--log-flush-frequency=0"], 'flushFrequency: Invalid value: "0s": Must be', "see --log-flush-frequency"],
    [["--requestheader-group-headers=a,,b"], 'empty value in "requestheader-group-headers"', ""],
    [["--requestheader-uid-headers=a"], "--requestheader-uid-headers is set without specifying", "X-Remote-Uid"],
    [["--emulated-version=a,b"], 'could not parse "a" as version: ', "--emulated-version takes 1.33 to 1.36"],
    [["--emulated-version=1.37"], "emulation version 1.37 is not between [1.33, 1.36.0]", "see --emulated-version"],
    [["--min-compatibility-version=x=1.35"], "component not registered: x: ", "--min-compatibility-version takes"],
    [["--feature-gates=AtomicFIFO"], "missing bool value for AtomicFIFO", "--feature-gates takes Name=true or"],
  ];
  for (const [args, words, flag] of cases) {
    const message = refusal(...args);
    assert(message.startsWith(words), `${args.join(" ")}: ${message}`);
    assertStringIncludes(message, flag);
    assert(!message.includes("\n"));
  }
  assertEquals(managerOptions(managerFlags(["--cloud-provider=external"])).securePort, 10257);
  managerOptions(managerFlags(["--requestheader-uid-headers=x-remote-uid"]));
  for (const limit of ["0", "64Mi", "512M"]) managerOptions(managerFlags([`--memory-limit=${limit}`]));
  managerOptions(managerFlags(["--leader-elect=false", "--feature-gates=CoordinatedLeaderElection=true"]));
});

Deno.test("managerOptions joins several objections as upstream does", () => {
  const message = refusal("--feature-gates=X=true", "--secure-port=70000", "--logging-format=xml");
  assert(message.startsWith("[unrecognized feature gate: X: "), message);
  assertStringIncludes(message, ", --secure-port 70000 must be between 0 and 65535, inclusive.");
  assert(message.endsWith("--logging-format takes text or json]"), message);
});

Deno.test("managerOptions checks flags that have no effect as upstream does", () => {
  const cases: [args: string[], words: string][] = [
    [["--concurrent-resourceclaim-syncs=0"], "--concurrent-resourceclaim-syncs must be larger than 0, got 0"],
    [["--concurrent-service-endpoint-syncs=51"], "--concurrent-service-endpoint-syncs must not be more than 50, but"],
    [["--max-endpoints-per-slice=1001"], "--max-endpoints-per-slice must not be more than 1000, but got 1001"],
    [["--mirroring-max-endpoints-per-subset=0"], "--mirroring-max-endpoints-per-subset must not be less than 1, but"],
    [
      ["--cluster-signing-kubelet-client-cert-file=a"],
      '"cluster-signing-kube-apiserver-client": cannot specify cert without key: ' +
      "--cluster-signing-kubelet-client-key-file is not set",
    ],
    [
      [
        "--cluster-signing-cert-file=a",
        ...["cert", "key"].map((file) => `--cluster-signing-legacy-unknown-${file}-file=a`),
      ],
      "cannot specify --cluster-signing-{cert,key}-file and other --cluster-signing-*-file flags at the same time",
    ],
    [["--tls-curve-preferences=99"], "curve preference 99 is not supported: --tls-curve-preferences takes 23, 24, "],
    [["--tls-curve-preferences=29,29"], "duplicate curve preference 29"],
    [["--attach-detach-reconcile-sync-period=1ms"], "duration time must be greater than one second as set via command"],
    [["--service-cluster-ip-range=a,b,c"], "--service-cluster-ip-range can not contain more than two entries"],
  ];
  for (const [args, words] of cases) assert(refusal(...args).startsWith(words), refusal(...args));
  managerOptions(managerFlags(["--tls-curve-preferences=29,23", "--service-cluster-ip-range=10.0.0.0/16,fd00::/112"]));
});
