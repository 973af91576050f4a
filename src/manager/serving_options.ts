import type { TlsDemands } from "../https/mod.ts";
import type { Flags } from "./flags.ts";

/** Where and how the secure port is served. */
export interface ServingOptions {
  readonly bindAddress: string;
  /** 0 serves nothing. */
  readonly securePort: number;
  readonly isPortShared: boolean;
  readonly tlsCertFile: string;
  readonly tlsPrivateKeyFile: string;
  readonly certDir: string;
  readonly sniCertificates: readonly SniFiles[];
  readonly tlsDemands: TlsDemands;
}

/** A pair of files of `--tls-sni-cert-key`. */
export interface SniFiles {
  readonly certFile: string;
  readonly keyFile: string;
  /** The names it serves; by default those in the certificate. */
  readonly names: readonly string[];
}

/** Versions by upstream's names. Nothing below 1.2 is offered, so a lower minimum has no effect. */
const TLS_VERSIONS = ["VersionTLS10", "VersionTLS11", "VersionTLS12", "VersionTLS13"];

/** The TLS 1.2 suites of this runtime; those of 1.3 are always allowed, as in Go. */
const OWN_SUITES = ["ECDSA", "RSA"].flatMap((signature) =>
  ["AES_128_GCM_SHA256", "AES_256_GCM_SHA384", "CHACHA20_POLY1305", "CHACHA20_POLY1305_SHA256"]
    .map((cipher) => `TLS_ECDHE_${signature}_WITH_${cipher}`)
);
const TLS13_SUITES = ["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"];
/** Suites that Go has but this runtime lacks. */
const FOREIGN_SUITES = [
  ...["ECDSA", "RSA"].flatMap((signature) =>
    ["AES_128_CBC_SHA", "AES_256_CBC_SHA", "AES_128_CBC_SHA256", "RC4_128_SHA"]
      .map((cipher) => `TLS_ECDHE_${signature}_WITH_${cipher}`)
  ),
  "TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA",
  ...[
    "3DES_EDE_CBC_SHA",
    "AES_128_CBC_SHA",
    "AES_128_CBC_SHA256",
    "AES_128_GCM_SHA256",
    "AES_256_CBC_SHA",
    "AES_256_GCM_SHA384",
    "RC4_128_SHA",
  ].map((cipher) => `TLS_RSA_WITH_${cipher}`),
];

/** Reads the secure port's flags. */
export function servingOptions(flags: Flags): ServingOptions {
  return {
    bindAddress: flags.string("bind-address"),
    securePort: flags.number("secure-port"),
    isPortShared: flags.bool("permit-port-sharing"),
    tlsCertFile: flags.string("tls-cert-file"),
    tlsPrivateKeyFile: flags.string("tls-private-key-file"),
    certDir: flags.string("cert-dir"),
    sniCertificates: flags.texts("tls-sni-cert-key").map(sniFiles),
    tlsDemands: {
      isTls13Only: flags.string("tls-min-version") === "VersionTLS13",
      cipherSuites: flags.strings("tls-cipher-suites"),
    },
  };
}

/** `cert,key` or `cert,key:name,name`. */
function sniFiles(text: string): SniFiles {
  const [files, names = ""] = text.split(":", 2);
  const [certFile, keyFile] = files.split(",").map((part) => part.trim());
  return { certFile, keyFile, names: names.split(",").map((name) => name.trim()).filter((name) => name !== "") };
}

/** Objections to the secure port's flags; each names the flag and what it accepts. */
export function servingObjections(flags: Flags): string[] {
  const objections: string[] = [];
  const port = flags.number("secure-port");
  if (port < 0 || port > 65535) {
    objections.push(
      `--secure-port ${port} must be between 0 and 65535, inclusive. 0 for turning off secure port.`,
    );
  }
  if ((flags.string("tls-cert-file") === "") !== (flags.string("tls-private-key-file") === "")) {
    objections.push("--tls-cert-file and --tls-private-key-file must be given together");
  }
  const version = flags.string("tls-min-version");
  if (version !== "" && !TLS_VERSIONS.includes(version)) {
    objections.push(
      `unknown tls version ${JSON.stringify(version)}: --tls-min-version takes ${TLS_VERSIONS.join(", ")}`,
    );
  }
  const suites = flags.strings("tls-cipher-suites");
  const known = [...OWN_SUITES, ...TLS13_SUITES];
  for (const suite of suites.filter((name) => ![...known, ...FOREIGN_SUITES].includes(name))) {
    objections.push(
      `Cipher suite ${suite} not supported or doesn't exist: --tls-cipher-suites takes ${known.join(", ")}`,
    );
  }
  if (suites.length > 0 && suites.every((name) => FOREIGN_SUITES.includes(name))) {
    objections.push(`--tls-cipher-suites names none that this runtime has: ${known.join(", ")}`);
  }
  const streams = flags.number("http2-max-streams-per-connection");
  if (streams < 0) objections.push(`--http2-max-streams-per-connection ${streams} can not be a negative value`);
  return objections;
}
