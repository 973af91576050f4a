import type { Flags } from "./flags.ts";

/** Numbers that upstream limits, of controllers that are not here: a flag without effect is still checked. */
const LIMITS: Readonly<Record<string, { readonly least: string; readonly most?: number }>> = {
  "concurrent-device-taint-eviction-syncs": { least: "must be greater than zero, got" },
  "concurrent-resourceclaim-syncs": { least: "must be larger than 0, got" },
  "concurrent-ephemeralvolume-syncs": { least: "must be greater than 0, but got" },
  "concurrent-service-endpoint-syncs": { least: "must not be less than 1, but got", most: 50 },
  "max-endpoints-per-slice": { least: "must not be less than 1, but got", most: 1000 },
  "mirroring-concurrent-service-endpoint-syncs": { least: "must not be less than 1, but got", most: 50 },
  "mirroring-max-endpoints-per-subset": { least: "must not be less than 1, but got", most: 1000 },
};

/** Pairs of files, by what upstream calls the signer. */
const SIGNERS: Readonly<Record<string, string>> = {
  "kubelet-serving": "cluster-signing-kubelet-serving",
  "kubelet-client": "cluster-signing-kube-apiserver-client",
  "kube-apiserver-client": "cluster-signing-kube-apiserver",
  "legacy-unknown": "cluster-signing-legacy-unknown",
};

/** TLS groups by number: P-256, P-384, P-521, X25519, and the three with ML-KEM. */
const CURVES = [23, 24, 25, 29, 4587, 4588, 4589];

/** What is wrong with flags that nothing here acts on, in upstream's words. */
export function foreignObjections(flags: Flags): string[] {
  return [...limitObjections(flags), ...signerObjections(flags), ...curveObjections(flags), ...otherObjections(flags)];
}

function limitObjections(flags: Flags): string[] {
  return Object.entries(LIMITS).flatMap(([name, { least, most = Infinity }]) => {
    const value = flags.number(name);
    if (value < 1) return [`--${name} ${least} ${value}`];
    return value > most ? [`--${name} must not be more than ${most}, but got ${value}`] : [];
  });
}

function signerObjections(flags: Flags): string[] {
  const objections: string[] = [];
  let areSpecific = false;
  for (const [signer, name] of Object.entries(SIGNERS)) {
    const flag = (file: string) => `cluster-signing-${signer}-${file}-file`;
    const [cert, key] = [flags.string(flag("cert")), flags.string(flag("key"))];
    areSpecific ||= cert !== "" || key !== "";
    const missing = cert === "" ? "cert" : "key";
    if ((cert === "") === (key === "")) continue;
    const said = `cannot specify ${missing === "key" ? "cert" : "key"} without ${missing}`;
    objections.push(`"${name}": ${said}: --${flag(missing)} is not set`);
  }
  const isGeneral = ["cert", "key"].some((file) => flags.string(`cluster-signing-${file}-file`) !== "");
  if (isGeneral && areSpecific) {
    objections.push(
      "cannot specify --cluster-signing-{cert,key}-file and other --cluster-signing-*-file flags at the same time",
    );
  }
  return objections;
}

function curveObjections(flags: Flags): string[] {
  const ids = flags.strings("tls-curve-preferences").map(Number);
  const odd = ids.find((id) => !CURVES.includes(id));
  if (odd !== undefined) {
    return [`curve preference ${odd} is not supported: --tls-curve-preferences takes ${CURVES.join(", ")}`];
  }
  const twice = ids.find((id, i) => ids.indexOf(id) !== i);
  return twice === undefined ? [] : [`duplicate curve preference ${twice}: see --tls-curve-preferences`];
}

function otherObjections(flags: Flags): string[] {
  const objections: string[] = [];
  if (flags.durationMs("attach-detach-reconcile-sync-period") < 1000) {
    objections.push(
      "duration time must be greater than one second as set via command line option reconcile-sync-loop-period: see " +
        "--attach-detach-reconcile-sync-period",
    );
  }
  if (flags.string("service-cluster-ip-range").split(",").length > 2) {
    objections.push("--service-cluster-ip-range can not contain more than two entries");
  }
  return objections;
}
