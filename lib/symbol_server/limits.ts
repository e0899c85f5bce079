/** What one request may ask for. */

/** Bounds of a request and its response. */
export interface ServerLimits {
  /** Bytes of a request's body. */
  readonly body: number;
  /** Jobs of a request. */
  readonly jobs: number;
  /** Modules of all jobs of a request. */
  readonly modules: number;
  /** Frames of all stacks of a request. */
  readonly frames: number;
  /** Characters of a response. */
  readonly response: number;
  /** Bytes of code to disassemble. */
  readonly code: number;
  /** Bytes of a source file. */
  readonly source: number;
  /** Requests at one time. */
  readonly requests: number;
  /** Modules whose files are kept open. */
  readonly open: number;
}

/** The Firefox Profiler asks for at most 10,000 addresses at a time, one job a library. */
export const defaultLimits: ServerLimits = {
  body: 16 << 20,
  jobs: 4096,
  modules: 16_384,
  frames: 250_000,
  response: 1 << 26,
  code: 1 << 18,
  source: 16 << 20,
  requests: 8,
  open: 64,
};
