import type { CloudDescription } from "../../cloud/mod.ts";
import type { RunSettings } from "../crew.ts";
import type { HubMessage, SubscriberMessage } from "../hub/mod.ts";
import type { Answers, Question } from "../questions.ts";
import type { FileText } from "../supplies/mod.ts";
import type { PortAsk, PortCancel, PortFailure, PortReply } from "./port_messages.ts";

/** What a group is started with. Times in milliseconds. */
export interface GroupSettings extends RunSettings {
  readonly name: string;
  /** Names of the controllers that it runs. */
  readonly controllers: readonly string[];
  /** What the files hold that its controllers' rows declare, by their flags. */
  readonly files: readonly (readonly [flag: string, content: FileText])[];
  /** The cloud provider, if a row of its controllers declares that it asks one. */
  readonly cloud?: CloudDescription;
  /** Where the API server is; the process's own credentials for it stay in the main thread. */
  readonly server: string;
  /** Whether the group sends the requests of its accounts by itself. */
  readonly sendsDirectly: boolean;
  readonly qps: number;
  readonly burst: number;
  readonly logFormat: "text" | "json";
  readonly verbosity: number;
  readonly vmodule: string;
  readonly pid: number;
}

/** From the main thread to a group. */
export type GroupCommand =
  /** The memory of its fence, before anything else: `confinement.ts` takes it. */
  | { readonly what: "fence"; readonly memory: SharedArrayBuffer }
  | {
    readonly what: "start";
    readonly settings: GroupSettings;
    /** It has been at work before, and has failed since. */
    readonly isRestart: boolean;
  }
  /** The lease is held: controllers may begin. */
  | { readonly what: "lead" }
  /** Finish what is under way and end. */
  | { readonly what: "stop" }
  | { readonly what: "ping"; readonly id: number }
  /** How much is to be logged from now on. */
  | { readonly what: "verbosity"; readonly verbosity: number }
  | { readonly what: "ask"; readonly id: number; readonly question: Question }
  /** A file has changed. */
  | { readonly what: "file"; readonly flag: string; readonly text: string }
  | HubMessage
  | PortReply
  | PortFailure;

/** How a group fares, in its own words. */
export type GroupNews =
  /** These controllers are built and their informers run; others have nothing to do here. */
  | { readonly what: "started"; readonly controllers: readonly string[] }
  /** They are to work and cannot be built. */
  | { readonly what: "unbuildable"; readonly message: string }
  /** The caches are filled. */
  | { readonly what: "synced" }
  /** A controller found its memory corrupted; the others go on. */
  | { readonly what: "stopped"; readonly controller: string; readonly reason: string }
  /** The controllers have ended, all of them or not. */
  | { readonly what: "ended"; readonly isClean: boolean }
  /** The group cannot go on. */
  | { readonly what: "broken"; readonly message: string }
  | { readonly what: "log"; readonly line: string };

/** From a group to the main thread. */
export type GroupReport =
  | GroupNews
  | {
    readonly what: "pong";
    readonly id: number;
    readonly heapBytes: number;
    readonly heapLimitBytes: number;
    /** A line for each object that its informers cannot read. */
    readonly setAside: readonly string[];
  }
  | { readonly what: "answer"; readonly id: number; readonly answer: Answers[keyof Answers] }
  | SubscriberMessage
  | PortAsk
  | PortCancel;
