import type { TLSSocket } from "node:tls";

/** Requirements of connections. The runtime offers TLS 1.2 and 1.3, and no weak cipher suites. */
export interface TlsDemands {
  /** Whether TLS 1.2 is too old. */
  readonly isTls13Only?: boolean;
  /** Allowed TLS 1.2 cipher suites by IANA name; empty for all that the runtime has. */
  readonly cipherSuites?: readonly string[];
}

/** Whether a handshake could fail to meet them. */
export function isDemanding({ isTls13Only = false, cipherSuites = [] }: TlsDemands): boolean {
  return isTls13Only || cipherSuites.length > 0;
}

/** Whether a handshake meets them: the runtime cannot restrict it, but reports its result. */
export function meets(socket: TLSSocket, demands: TlsDemands): boolean {
  if (!isDemanding(demands)) return true;
  const { isTls13Only, cipherSuites = [] } = demands;
  if (socket.getProtocol() === "TLSv1.3") return true;
  return !isTls13Only && cipherSuites.some((suite) => openSslName(suite) === socket.getCipher().name);
}

/** `TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256` is `ECDHE-RSA-AES128-GCM-SHA256`. */
function openSslName(suite: string): string {
  return suite.replace(/^TLS_/, "").replace("_WITH_", "_").replace(/AES_(\d+)/, "AES$1")
    .replace(/(CHACHA20_POLY1305)_SHA256$/, "$1").replaceAll("_", "-");
}
