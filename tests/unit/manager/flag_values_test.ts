/** Values of flags as Go's parsers read and show them. */
import { assertEquals, assertThrows } from "@std/assert";
import { FlagError, managerFlags, managerOptions } from "../../../src/manager/mod.ts";

/** What `--NAME=VALUE` is shown as at start, each use one argument. */
const shown = (name: string, ...values: string[]) =>
  new Map(managerFlags(values.map((value) => `--${name}=${value}`)).entries()).get(name);
const refusal = (arg: string) => assertThrows(() => managerFlags([arg]), FlagError).message;

Deno.test("Flags reads whole numbers with the prefixes and underscores of Go", () => {
  for (
    const [text, value] of [["0x1f", "31"], ["0b11", "3"], ["0o17", "15"], ["017", "15"], ["1_000", "1000"], [
      "+5",
      "5",
    ]]
  ) {
    assertEquals(shown("kube-api-burst", text), value);
    assertEquals(managerFlags([`--kube-api-burst=${text}`]).number("kube-api-burst"), Number(value));
  }
  assertEquals(shown("kube-api-burst", "-2147483648"), "-2147483648");
  assertEquals(shown("http2-max-streams-per-connection", "99999999999"), "99999999999");
  for (const odd of ["08", "1__0", "_1", "1_", "0x", " 1", "1.0", ""]) {
    assertEquals(
      refusal(`--kube-api-burst=${odd}`).includes(`parsing ${JSON.stringify(odd)}: invalid syntax`),
      true,
      odd,
    );
  }
  assertEquals(refusal("--kube-api-burst=2147483648").includes("value out of range"), true);
  assertEquals(refusal("--secure-port=9223372036854775808").includes("value out of range"), true);
});

Deno.test("Flags reads and shows numbers as 32 bits hold them where the flag has no more", () => {
  const cases = [
    ["16777217", "1.6777216e+07"],
    ["123456789", "1.2345679e+08"],
    ["1e10", "1e+10"],
    ["0.1", "0.1"],
    ["100000", "100000"],
    ["1e6", "1e+06"],
    [".5", "0.5"],
    ["0.00001", "1e-05"],
    ["0x1p-2", "0.25"],
    ["0x1.8p1", "3"],
    ["-0X10P0", "-16"],
    ["inf", "+Inf"],
    ["-Infinity", "-Inf"],
    ["0", "0"],
  ];
  for (const [text, value] of cases) assertEquals(shown("kube-api-qps", text), value, text);
  assertEquals(managerFlags(["--kube-api-qps=0.1"]).number("kube-api-qps"), 0.1);
  assertEquals(managerFlags(["--kube-api-qps=16777217"]).number("kube-api-qps"), 16777216);
  assertEquals(shown("horizontal-pod-autoscaler-tolerance", "16777217"), "1.6777217e+07");
  assertEquals(refusal("--kube-api-qps=1e39").includes('parsing "1e39": value out of range'), true);
  for (const odd of ["", "1_", "e1", ".", "0x1", " 1", "+nan"]) {
    assertEquals(refusal(`--kube-api-qps=${odd}`).includes("invalid syntax"), true, odd);
  }
});

Deno.test("Flags reads lists as one record of comma separated values, quotes and all", () => {
  const flags = managerFlags(['--requestheader-allowed-names="a,b",c', "--requestheader-allowed-names="]);
  assertEquals(flags.strings("requestheader-allowed-names"), ["a,b", "c"]);
  assertEquals(shown("requestheader-allowed-names", '"a,b"', " c", '"d""e"'), '["a,b"," c","d""e"]');
  assertEquals(
    refusal('--controllers=a"b'),
    String
      .raw`invalid argument "a\"b" for "--controllers" flag: parse error on line 1, column 2: bare " in non-quoted-field ` +
      "(it takes texts, separated by commas)",
  );
  assertEquals(refusal('--controllers=é,"b"c').includes('column 6: extraneous or missing " in quoted-field'), true);
  assertEquals(refusal('--controllers="b').includes('extraneous or missing " in quoted-field'), true);
});

Deno.test("Flags reads addresses as Go does, and shows them as it does", () => {
  assertEquals(shown("bind-address", " 1.2.3.4 "), "1.2.3.4");
  assertEquals(shown("bind-address", "::ffff:1.2.3.4"), "1.2.3.4");
  assertEquals(shown("bind-address", "0:0::1"), "::1");
  assertEquals(shown("bind-address", ""), "0.0.0.0");
  assertEquals(managerOptions(managerFlags(["--bind-address=::ffff:127.0.0.1"])).bindAddress, "127.0.0.1");
  for (const odd of ["01.2.3.4", "1.2.3", "256.1.1.1", "fe80::1%eth0", "[::1]", "a"]) {
    assertEquals(refusal(`--bind-address=${odd}`).includes(`failed to parse IP: "${odd}"`), true);
  }
});

Deno.test("Flags takes maps in quotes where several pairs have commas", () => {
  const flags = managerFlags([`--allow-metric-labels="m,l='a,b'","n,k=c"`, `--allow-metric-labels=o,j="d,e"`]);
  assertEquals([...flags.pairs("allow-metric-labels")], [["m,l", "'a,b'"], ["n,k", "c"], ["o,j", '"d,e']]);
  assertEquals(managerOptions(flags).metricsView.allowedLabels.get("m,l"), new Set(["a", "b"]));
  assertEquals(managerOptions(flags).metricsView.allowedLabels.get("o,j"), new Set(["d", "e"]));
  assertEquals(refusal("--allow-metric-labels=").includes(" must be formatted as key=value"), true);
  assertEquals(refusal("--allow-metric-labels=a,b=c,d=e").includes("a must be formatted as key=value"), true);
});

Deno.test("Flags shows certificates for names, patterns and gates without white space", () => {
  assertEquals(shown("tls-sni-cert-key", " a , b ", "c,d: x , y"), "[a,b;c,d:x,y]");
  assertEquals(refusal("--tls-sni-cert-key=a,b: ").includes("empty names list is not allowed"), true);
  assertEquals(refusal("--tls-sni-cert-key=a,").includes("expected comma separated certificate and key file"), true);
  assertEquals(shown("vmodule", "a=1,,b=2,"), "a=1,b=2");
  assertEquals(refusal("--vmodule=a=1=2").includes('"a=1=2" does not have the pattern=N format'), true);
  assertEquals([shown("version", "0"), shown("version", "raw")], ["false", "raw"]);
  assertEquals(shown("feature-gates", " AtomicFIFO = true ,"), ":AtomicFIFO = true");
  assertEquals(refusal("--log-text-info-buffer-size=1ki").includes("unable to parse quantity's suffix"), true);
});
