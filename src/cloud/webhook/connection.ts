import { errorText, type World } from "../../base/mod.ts";
import type { CloudSetup, CloudTls, SendRequest } from "../factory.ts";
import type { WebhookSettings } from "./settings.ts";

/** How often, at most, files are read again. */
const RELOAD_PERIOD_MS = 10_000;
/** The limit of a token or PEM file; a bundle of all public authorities takes a quarter of this. */
const MAX_FILE_BYTES = 1024 * 1024;
/** A token that is valid in a header. */
const TOKEN = /^[\x21-\x7e]{1,16384}$/;

/** A connection to the endpoint. */
export interface WebhookConnection {
  readonly send: SendRequest;
  /** Only sent in the header of requests. */
  readonly token?: string;
}

/** The contents of files and environment. */
interface Material {
  readonly tls: CloudTls;
  readonly token?: string;
}

/**
 * Connections to the endpoint, with certificates and a token that may change.
 *
 * Contract:
 * 1. The first content of each file must be usable.
 * 2. What changed later is used within ten seconds, at the next call. What cannot be used leaves the last good content
 *    in place, and is logged once.
 */
export class WebhookConnections {
  readonly #setup: Pick<CloudSetup, "world" | "env" | "connect">;
  readonly #settings: WebhookSettings;
  readonly #world: World;
  #current?: WebhookConnection;
  #material = "";
  #complaint = "";
  #readMs = -Infinity;
  #reading?: Promise<void>;

  constructor(setup: Pick<CloudSetup, "world" | "env" | "connect">, settings: WebhookSettings) {
    this.#setup = setup;
    this.#settings = settings;
    this.#world = setup.world;
  }

  /** @throws {Error} If there was never a usable content; the message names the file. */
  async current(): Promise<WebhookConnection> {
    if (this.#world.clock.monotonicMs() - this.#readMs >= RELOAD_PERIOD_MS) {
      await (this.#reading ??= this.#reload().finally(() => this.#reading = undefined));
    }
    return this.#current!; // #reload has thrown if there is none
  }

  async #reload(): Promise<void> {
    try {
      const material = await this.#read();
      const text = JSON.stringify(material);
      if (text !== this.#material) {
        this.#current = { send: this.#setup.connect(material.tls), token: material.token };
        if (this.#material !== "") this.#world.log.info("The webhook's token or certificates have changed");
        this.#material = text;
      }
      this.#complaint = "";
    } catch (error) {
      if (!this.#current) throw error;
      const complaint = errorText(error);
      if (complaint !== this.#complaint) {
        this.#world.log.error("Keeping the webhook's last good token and certificates", { err: complaint });
      }
      this.#complaint = complaint;
    }
    this.#readMs = this.#world.clock.monotonicMs();
  }

  async #read(): Promise<Material> {
    const { certificateAuthorityFile, clientCertificateFile, clientKeyFile } = this.#settings;
    const [authority, certificate, key, token] = await Promise.all([
      this.#pem("certificateAuthorityFile", certificateAuthorityFile),
      this.#pem("clientCertificateFile", clientCertificateFile),
      this.#pem("clientKeyFile", clientKeyFile),
      this.#token(),
    ]);
    return { tls: { authorities: authority === undefined ? [] : [authority], certificate, key }, token };
  }

  async #pem(field: string, path: string): Promise<string | undefined> {
    if (path === "") return undefined;
    const text = await this.#file(field, path);
    if (!text.includes("-----BEGIN ")) throw new Error(`${field} ${JSON.stringify(path)} holds no PEM block`);
    return text;
  }

  async #token(): Promise<string | undefined> {
    const { bearerTokenFile: path, bearerTokenVariable: variable } = this.#settings;
    if (path === "" && variable === "") return undefined;
    const token = path === "" ? this.#setup.env(variable) ?? "" : await this.#file("bearerTokenFile", path);
    const trimmed = token.trim();
    const where = path === "" ? `bearerTokenVariable ${variable}` : `bearerTokenFile ${JSON.stringify(path)}`;
    if (trimmed === "") throw new Error(`${where} holds no token: it is ${path === "" ? "not set" : "empty"}`);
    if (!TOKEN.test(trimmed)) throw new Error(`${where} holds no token: it must be one word of printable characters`);
    return trimmed;
  }

  async #file(field: string, path: string): Promise<string> {
    try {
      return await this.#world.files.readText(path, MAX_FILE_BYTES);
    } catch (cause) {
      throw new Error(`${field} ${JSON.stringify(path)} cannot be read: ${errorText(cause)}`, { cause });
    }
  }
}
