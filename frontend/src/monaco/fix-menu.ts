/**
 * The menu of fixes is a plain list. Monaco's headings are separators inside a listbox, which may not have any: readers of
 * the screen count them as choices.
 */
import './bulk-edits'
import { StandaloneServices } from 'monaco-editor/editor/standalone/browser/standaloneServices'
import { IConfigurationService } from 'monaco-editor/platform/configuration/common/configuration'

void StandaloneServices.get(IConfigurationService).updateValue('editor.codeActionWidget.showHeaders', false)
