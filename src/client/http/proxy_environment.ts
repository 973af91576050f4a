import type { Environment } from "../environment.ts";

/**
 * The proxy that the environment names for `server`: `HTTPS_PROXY` or `HTTP_PROXY` by its scheme, unless `NO_PROXY`
 * names its host. Loopback addresses are always reached directly. Upstream: `golang.org/x/net/http/httpproxy`, with
 * CIDRs in NO_PROXY as in `k8s.io/apimachinery/pkg/util/net`.
 *
 * @example
 * ```ts
 * import { proxyFor } from "./proxy_environment.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const env = { HTTPS_PROXY: "http://proxy:3128", NO_PROXY: "10.0.0.0/8,.internal" };
 * assertEquals(proxyFor("https://kube.example:6443", env), "http://proxy:3128");
 * assertEquals(proxyFor("https://10.1.2.3:6443", env), undefined);
 * ```
 */
export function proxyFor(server: string, env: Environment): string | undefined {
  const { protocol, hostname, port } = new URL(server);
  const name = protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const proxy = env[name] || env[name.toLowerCase()];
  if (!proxy) return undefined;
  const host = hostname.replace(/^\[|\]$/g, "").toLowerCase();
  if (host === "localhost" || host === "::1" || /^127\./.test(host)) return undefined;
  const exceptions = (env.NO_PROXY || env.no_proxy || "").split(",").map((text) => text.trim().toLowerCase());
  const place = { host, port: port || (protocol === "https:" ? "443" : "80") };
  if (exceptions.some((exception) => exception !== "" && isException(exception, place))) return undefined;
  return proxy.includes("://") ? proxy : `http://${proxy}`;
}

function isException(exception: string, { host, port }: { readonly host: string; readonly port: string }): boolean {
  if (exception === "*") return true;
  if (exception.includes("/")) return isInCidr(host, exception);
  const withPort = /^(.+):(\d+)$/.exec(exception);
  if (withPort && !withPort[1].includes(":")) {
    return withPort[2] === port && isException(withPort[1], { host, port });
  }
  const name = exception.replace(/^\*/, "").replace(/^\[|\]$/g, "");
  if (name.startsWith(".")) return host.endsWith(name);
  return host === name || (!/^[\d.]+$|:/.test(host) && host.endsWith(`.${name}`));
}

function isInCidr(host: string, cidr: string): boolean {
  const [network, prefixText] = cidr.split("/");
  const [address, base] = [addressBits(host), addressBits(network)];
  const prefix = Number(prefixText);
  if (!address || !base || address.size !== base.size || !(prefix >= 0 && prefix <= base.size)) return false;
  const shift = BigInt(base.size - prefix);
  return address.bits >> shift === base.bits >> shift;
}

function addressBits(text: string): { readonly bits: bigint; readonly size: number } | undefined {
  const groups = /^\d{1,3}(\.\d{1,3}){3}$/.test(text) ? text.split(".").map(Number) : undefined;
  if (groups) {
    if (groups.some((group) => group > 255)) return undefined;
    return { bits: groups.reduce((bits, group) => bits << 8n | BigInt(group), 0n), size: 32 };
  }
  // The URL parser normalises IPv6 addresses, including embedded IPv4.
  if (!text.includes(":") || !URL.canParse(`http://[${text}]`)) return undefined;
  const [head, tail] = new URL(`http://[${text}]`).hostname.slice(1, -1).split("::");
  const left = head ? head.split(":") : [];
  const right = tail ? tail.split(":") : [];
  const middle = new Array(tail === undefined ? 0 : 8 - left.length - right.length).fill("0");
  const words = [...left, ...middle, ...right];
  return { bits: words.reduce((bits, word) => bits << 16n | BigInt(`0x${word}`), 0n), size: 128 };
}
