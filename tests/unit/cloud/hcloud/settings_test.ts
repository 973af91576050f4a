import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { readSettings } from "../../../../src/cloud/hcloud/settings.ts";
import { openCloudProvider } from "../../../../src/cloud/mod.ts";
import { Bench } from "./bench.ts";

const settingsOf = (env: Record<string, string>) => readSettings((name) => env[name]);

Deno.test("readSettings has the vendor's defaults", () => {
  const { balancers, ...settings } = settingsOf({});
  assertEquals(settings, {
    endpoint: "https://api.hetzner.cloud/v1",
    network: "",
    isAttachedCheckEnabled: true,
    areRoutesEnabled: false,
    addressFamily: "ipv4",
    hasZoneLabel: true,
    serverCacheMode: "all",
    serverCacheMaxAgeMs: 10_000,
  });
  assertEquals(balancers, {
    isEnabled: true,
    location: "",
    networkZone: "",
    type: "",
    algorithm: undefined,
    isPublicNetworkDisabled: undefined,
    isPrivateIngressDisabled: false,
    isIpv6Disabled: false,
    usesPrivateIp: false,
    usesProxyProtocol: undefined,
    privateSubnet: "",
    healthCheckIntervalMs: 0,
    healthCheckTimeoutMs: 0,
    healthCheckRetries: 0,
  });
});

Deno.test("readSettings reads every variable", () => {
  const lb = (end: string) => `HCLOUD_LOAD_BALANCERS_${end}`;
  const { balancers, ...settings } = settingsOf({
    HCLOUD_ENDPOINT: "http://127.0.0.1:8080/v1/",
    HCLOUD_NETWORK: "cluster",
    HCLOUD_NETWORK_DISABLE_ATTACHED_CHECK: "T",
    HCLOUD_INSTANCES_ADDRESS_FAMILY: "dualstack",
    HCLOUD_INSTANCES_ZONE_LABEL_ENABLED: "0",
    HCLOUD_SERVER_CACHE_MODE: "one",
    HCLOUD_SERVER_CACHE_MAX_AGE: "1m",
    [lb("ENABLED")]: "false",
    [lb("NETWORK_ZONE")]: "eu-central",
    [lb("TYPE")]: "lb21",
    [lb("ALGORITHM_TYPE")]: " Least_Connections",
    [lb("DISABLE_PUBLIC_NETWORK")]: "true",
    [lb("DISABLE_PRIVATE_INGRESS")]: "true",
    [lb("DISABLE_IPV6")]: "true",
    [lb("USE_PRIVATE_IP")]: "true",
    [lb("USES_PROXYPROTOCOL")]: "true",
    [lb("PRIVATE_SUBNET_IP_RANGE")]: "10.0.1.0/24",
    [lb("HEALTH_CHECK_INTERVAL")]: "5s",
    [lb("HEALTH_CHECK_TIMEOUT")]: "4s",
    [lb("HEALTH_CHECK_RETRIES")]: "2",
  });
  assertEquals(settings, {
    endpoint: "http://127.0.0.1:8080/v1",
    network: "cluster",
    isAttachedCheckEnabled: false,
    areRoutesEnabled: true,
    addressFamily: "dualstack",
    hasZoneLabel: false,
    serverCacheMode: "one",
    serverCacheMaxAgeMs: 60_000,
  });
  assertEquals(Object.values(balancers), [
    false,
    "",
    "eu-central",
    "lb21",
    "least_connections",
    true,
    true,
    true,
    true,
    true,
    "10.0.1.0/24",
    5000,
    4000,
    2,
  ]);
});

const WRONG: readonly (readonly [Record<string, string>, string])[] = [
  [
    { HCLOUD_NETWORK_DISABLE_ATTACHED_CHECK: "yes" },
    'failed to parse HCLOUD_NETWORK_DISABLE_ATTACHED_CHECK: strconv.ParseBool: parsing "yes": invalid syntax',
  ],
  [
    { HCLOUD_INSTANCES_ADDRESS_FAMILY: "ipv5" },
    'invalid value for "HCLOUD_INSTANCES_ADDRESS_FAMILY", expect one of: ipv4,ipv6,dualstack',
  ],
  [{ HCLOUD_SERVER_CACHE_MODE: "some" }, 'invalid value for "HCLOUD_SERVER_CACHE_MODE", expect one of: all,one,off'],
  [
    { HCLOUD_SERVER_CACHE_MAX_AGE: "1h" },
    'invalid value for "HCLOUD_SERVER_CACHE_MAX_AGE": must not be longer than 10m',
  ],
  [
    { HCLOUD_LOAD_BALANCERS_HEALTH_CHECK_INTERVAL: "5" },
    'failed to parse HCLOUD_LOAD_BALANCERS_HEALTH_CHECK_INTERVAL: time: missing unit in duration "5"',
  ],
  [
    { HCLOUD_LOAD_BALANCERS_HEALTH_CHECK_TIMEOUT: "-5s" },
    'invalid value for "HCLOUD_LOAD_BALANCERS_HEALTH_CHECK_TIMEOUT": must not be negative',
  ],
  [
    { HCLOUD_LOAD_BALANCERS_HEALTH_CHECK_RETRIES: "x" },
    'failed to parse HCLOUD_LOAD_BALANCERS_HEALTH_CHECK_RETRIES: strconv.Atoi: parsing "x": invalid syntax',
  ],
  [
    { HCLOUD_LOAD_BALANCERS_ALGORITHM_TYPE: "x" },
    'invalid value for "HCLOUD_LOAD_BALANCERS_ALGORITHM_TYPE": unsupported value "x"',
  ],
  [
    { HCLOUD_LOAD_BALANCERS_LOCATION: "a", HCLOUD_LOAD_BALANCERS_NETWORK_ZONE: "b" },
    'invalid value for "HCLOUD_LOAD_BALANCERS_LOCATION"/"HCLOUD_LOAD_BALANCERS_NETWORK_ZONE", only one of them can be set',
  ],
  [
    { HCLOUD_LOAD_BALANCERS_PRIVATE_SUBNET_IP_RANGE: "10.0.0.1" },
    'invalid value for "HCLOUD_LOAD_BALANCERS_PRIVATE_SUBNET_IP_RANGE": must be a valid CIDR',
  ],
  [
    { HCLOUD_ENDPOINT: "ftp://x" },
    'invalid value for "HCLOUD_ENDPOINT": must be the address of an API, such as https://host/v1',
  ],
  [
    { HCLOUD_ENDPOINT: "https://user:pw@x" },
    'invalid value for "HCLOUD_ENDPOINT": must be the address of an API, such as https://host/v1',
  ],
  [{ ROBOT_ENABLED: "true" }, "ROBOT_ENABLED is set, but this provider does not know dedicated servers (Robot)"],
];

for (const [env, message] of WRONG) {
  Deno.test(`readSettings refuses ${JSON.stringify(env)}`, () => {
    assertEquals(assertThrows(() => settingsOf(env), Error).message, message);
  });
}

Deno.test("readSettings says everything that is wrong in one line", () => {
  const error = assertThrows(() => settingsOf({ HCLOUD_ENDPOINT: "x", ROBOT_ENABLED: "?" }), Error);
  assertEquals(error.message.split("; ").length, 2);
});

Deno.test("opening fails in one line: no token, a network that is not there, a token that is refused", async () => {
  const open = async (env: Record<string, string | undefined>, prepare = (_: Bench) => {}) => {
    const bench = new Bench({ env: env as Record<string, string> });
    prepare(bench);
    const error = await assertRejects(() => bench.run(openCloudProvider("hcloud", bench.setup)), Error);
    return error.message.replace(
      'Cloud provider could not be initialized: could not init cloud provider "hcloud": ',
      "",
    );
  };
  assertEquals(await open({ HCLOUD_TOKEN: undefined }), 'environment variable "HCLOUD_TOKEN" is required');
  assertEquals(await open({ HCLOUD_TOKEN: " " }), "there is no token in HCLOUD_TOKEN");
  assertEquals(await open({ HCLOUD_NETWORK: "nowhere" }), "Network nowhere not found");
  const refused = await open({}, ({ emulator }) => emulator.token = "other");
  assertEquals(refused, "GET /locations?page=1&per_page=50: unable to authenticate (unauthorized)");
});

Deno.test("a process on a server outside of the network does not start", async () => {
  const answers: Record<string, string> = {};
  const bench = new Bench({
    env: { HCLOUD_NETWORK: "cluster", HCLOUD_NETWORK_DISABLE_ATTACHED_CHECK: "false" },
    send: ({ handle }) => (request) =>
      request.url.startsWith("http://169.254.169.254/")
        ? Promise.resolve(new Response(answers.metadata))
        : handle(request),
  });
  const { id } = bench.emulator.project.addNetwork("cluster");
  answers.metadata = "- ip: 10.0.0.2\n  network_id: 5\n";
  await assertRejects(() => bench.open(), Error, "This node is not attached to Network cluster");
  answers.metadata = `- ip: 10.0.0.2\n  network_id: ${id}\n`;
  await bench.open();
});
