/**
 * Turns off the headings in Monaco's menu of fixes: they are separators inside a listbox, and screen readers count them
 * as options.
 */
import './bulk-edits'
import { StandaloneServices } from 'monaco-editor/editor/standalone/browser/standaloneServices'
import { IConfigurationService } from 'monaco-editor/platform/configuration/common/configuration'

void StandaloneServices.get(IConfigurationService).updateValue('editor.codeActionWidget.showHeaders', false)
