import { CONFIGMAPS } from "../../api/mod.ts";
import { errorText, sleep, type World } from "../../base/mod.ts";
import { type Client, isNotFound } from "../../client/mod.ts";
import type { RequestHeaderOptions, TrustOptions } from "../access_options.ts";
import { ClientAuthorities } from "./client_certificates.ts";
import { fileText } from "./file_text.ts";

/** A trusted front proxy. */
export interface FrontProxy extends RequestHeaderOptions {
  readonly authorities: ClientAuthorities;
}

/** The authorities whose certificates identify clients. */
export interface Trusted {
  readonly clients?: ClientAuthorities;
  readonly frontProxy?: FrontProxy;
}

const NAMESPACE = "kube-system";
const NAME = "extension-apiserver-authentication";
const REFRESH_MS = 60_000;
/** About two hundred certificates: every client certificate causes all of them to be parsed and tried. */
const MAX_BUNDLE_LENGTH = 256 * 1024;

/**
 * Keeps the endpoint's trust up to date: from files and, for the rest, from the ConfigMap in which the API server
 * publishes its own authorities.
 *
 * Contract:
 * 1. Flags take precedence; the rest is read from the ConfigMap, unless `--authentication-skip-lookup` is set.
 * 2. The first read must succeed, except that of the ConfigMap with `--authentication-tolerate-lookup-failure`.
 * 3. Everything is read again every minute; what cannot be read keeps its last value.
 *
 * Upstream: `k8s.io/apiserver/pkg/server/options` (DelegatingAuthenticationOptions).
 */
export class Trust {
  readonly #world: World;
  readonly #options: TrustOptions;
  readonly #client?: Client;
  #texts = "";
  #trusted: Trusted = {};

  private constructor(world: World, options: TrustOptions, client?: Client) {
    this.#world = world;
    this.#options = options;
    this.#client = options.skipLookup ? undefined : client;
  }

  /**
   * @param client Absent without `--authentication-kubeconfig`.
   * @throws {Error} By sentence 2.
   */
  static async load(world: World, options: TrustOptions, client?: Client): Promise<Trust> {
    const trust = new Trust(world, options, client);
    await trust.#read(options.tolerateLookupFailure);
    return trust;
  }

  get trusted(): Trusted {
    return this.#trusted;
  }

  /** Implements sentence 3 of the contract until `signal` aborts. */
  async refresh(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#world;
    while (await sleep(clock, REFRESH_MS, signal)) {
      await this.#read(false, signal).catch((error: Error) => {
        if (!signal.aborted) log.error("Cannot read anew who may authenticate clients", { err: error });
      });
    }
  }

  async #read(isTolerant: boolean, signal?: AbortSignal): Promise<void> {
    const { clientCaFile, requestHeader } = this.#options;
    let clientCa = await this.#file(clientCaFile, "unable to load client CA provider");
    let proxyCa = await this.#file(requestHeader.caFile, "unable to create request header authentication config");
    let proxy: RequestHeaderOptions = requestHeader;
    if (this.#client && (clientCa === undefined || proxyCa === undefined)) {
      const published = await this.#published(isTolerant, signal);
      clientCa ??= published.clientCa;
      if (proxyCa === undefined && published.proxyCa !== undefined) ({ proxyCa, proxy } = published);
    }
    const texts = JSON.stringify([clientCa, proxyCa, proxy]);
    if (texts === this.#texts) return;
    this.#texts = texts;
    const { clock } = this.#world;
    this.#trusted = {
      clients: clientCa === undefined ? undefined : new ClientAuthorities(clock, clientCa),
      frontProxy: proxyCa === undefined ? undefined : { ...proxy, authorities: new ClientAuthorities(clock, proxyCa) },
    };
  }

  async #file(path: string, what: string): Promise<string | undefined> {
    if (path === "") return undefined;
    const text = await fileText(this.#world, path).catch((error: Error) => {
      throw new Error(`${what}: ${error.message}`, { cause: error });
    });
    if (await holdsCertificates(text)) return text;
    throw new Error(`${what}: ${path}: data does not contain any valid RSA or ECDSA certificates`);
  }

  async #published(isTolerant: boolean, signal?: AbortSignal): Promise<Published> {
    try {
      const ref = { namespace: NAMESPACE, name: NAME };
      return publishedIn((await this.#client!.get(CONFIGMAPS, ref, { signal })).data ?? {});
    } catch (error) {
      if (isNotFound(error)) return publishedIn({});
      const what = `unable to look up configmap/${NAME} in ${NAMESPACE}: ${errorText(error)}`;
      if (!isTolerant) throw new Error(what, { cause: error });
      this.#world.log.warn(
        "Error looking up in-cluster authentication configuration; client certificates of the cluster will not work",
        { err: error },
      );
      return publishedIn({});
    }
  }
}

async function holdsCertificates(text: string): Promise<boolean> {
  const { X509Certificate } = await import("node:crypto");
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  try {
    return blocks.map((block) => new X509Certificate(block)).length > 0;
  } catch {
    return false;
  }
}

/** The data that the cluster publishes. */
interface Published {
  readonly clientCa?: string;
  readonly proxyCa?: string;
  readonly proxy: RequestHeaderOptions;
}

/** @throws {Error} If it does not have kube-apiserver's format. */
function publishedIn(data: Readonly<Record<string, string>>): Published {
  const bundle = (key: string): string | undefined => {
    const text: unknown = data[key] ?? undefined;
    if (text === undefined) return undefined;
    if (typeof text !== "string" || text.length > MAX_BUNDLE_LENGTH) {
      throw new Error(`${key} is not a bundle of certificates`);
    }
    return text;
  };
  return {
    clientCa: bundle("client-ca-file"),
    proxyCa: bundle("requestheader-client-ca-file"),
    proxy: requestHeaderOf(data),
  };
}

function requestHeaderOf(data: Readonly<Record<string, string>>): RequestHeaderOptions {
  const list = (key: string): string[] => {
    const value: unknown = JSON.parse(data[key] || "[]");
    return Array.isArray(value) ? value.map(String) : [];
  };
  return {
    usernameHeaders: list("requestheader-username-headers"),
    uidHeaders: list("requestheader-uid-headers"),
    groupHeaders: list("requestheader-group-headers"),
    extraPrefixes: list("requestheader-extra-headers-prefix"),
    allowedNames: list("requestheader-allowed-names"),
  };
}
