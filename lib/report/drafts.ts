/** The model's types with plain strings, for code that composes reports. {@linkcode CrashReport} brands
 * the texts. */

import type * as model from "./report.ts";
import type { Unbranded } from "./report.ts";

/** See the model's type of the same name. */
export type ReportField = Unbranded<model.ReportField>;
/** See the model's type of the same name. */
export type ReportSection = Unbranded<model.ReportSection>;
/** See the model's type of the same name. */
export type ReportImage = Unbranded<model.ReportImage>;
/** See the model's type of the same name. */
export type ReportFrame = Unbranded<model.ReportFrame>;
/** See the model's type of the same name. */
export type ReportRegister = Unbranded<model.ReportRegister>;
/** See the model's type of the same name. */
export type CallTreeNode = Unbranded<model.CallTreeNode>;
/** See the model's type of the same name. */
export type ReportThread = Unbranded<model.ReportThread>;
/** See the model's type of the same name. */
export type ReportException = Unbranded<model.ReportException>;
/** See the model's type of the same name. */
export type ReportTermination = Unbranded<model.ReportTermination>;
/** See the model's type of the same name. */
export type ReportProcess = Unbranded<model.ReportProcess>;
