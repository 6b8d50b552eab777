//! Reports that commands of every program share.

use serde::Serialize;

use crate::ui::{Page, Report};

/// The result of a command, to be rendered.
pub type CommandResult = anyhow::Result<Box<dyn Report>>;

/// A value that is printed as JSON or, with `human`, as text.
struct SerializedReport<T, F> {
    data: T,
    human: F,
    exit: u8,
    is_confirmation: bool,
}

impl<T: Serialize, F: Fn(&T, &mut Page)> Report for SerializedReport<T, F> {
    fn json(&self) -> serde_json::Value {
        // Reports are plain structs with string keys, so serializing them cannot fail.
        serde_json::to_value(&self.data).unwrap_or(serde_json::Value::Null)
    }

    fn human(&self, page: &mut Page) {
        (self.human)(&self.data, page);
    }

    fn is_confirmation(&self) -> bool {
        self.is_confirmation
    }

    fn exit(&self) -> u8 {
        self.exit
    }
}

/// Builds the report of a command from its data and a function that writes the data as text.
pub fn build_report<T, F>(data: T, human: F) -> CommandResult
where
    T: Serialize + 'static,
    F: Fn(&T, &mut Page) + 'static,
{
    build_report_with_exit(0, data, human)
}

/// Builds a report with its own exit code.
pub fn build_report_with_exit<T, F>(exit: u8, data: T, human: F) -> CommandResult
where
    T: Serialize + 'static,
    F: Fn(&T, &mut Page) + 'static,
{
    Ok(Box::new(SerializedReport {
        data,
        human,
        exit,
        is_confirmation: false,
    }))
}

/// Builds a report that only confirms a change. `--quiet` leaves its text out.
pub fn build_confirmation<T, F>(data: T, human: F) -> CommandResult
where
    T: Serialize + 'static,
    F: Fn(&T, &mut Page) + 'static,
{
    Ok(Box::new(SerializedReport {
        data,
        human,
        exit: 0,
        is_confirmation: true,
    }))
}

/// Builds a report without output.
pub fn build_empty_report() -> CommandResult {
    build_report((), |(), _| {})
}

/// Builds the value of a report in place: a struct whose fields are the keys of the JSON, in this
/// order. Fields after a `;` are options, and the JSON has them only if they have a value. As in a
/// struct, `name` alone stands for `name: name`.
///
/// For shapes of a single command. A shape of several commands is a named struct.
#[macro_export]
macro_rules! report_value {
    (
        $($name:ident $(: $value:expr)?),+
        $(; $($option:ident $(: $option_value:expr)?),+)? $(,)?
    ) => {{
        #[allow(
            non_camel_case_types,
            non_snake_case,
            reason = "fields have the names of keys, and each has the type of its name"
        )]
        let report = {
            #[derive(serde::Serialize)]
            struct ReportValue<$($name,)+ $($($option,)+)?> {
                $($name: $name,)+
                $($(
                    #[serde(skip_serializing_if = "Option::is_none")]
                    $option: Option<$option>,
                )+)?
            }
            ReportValue { $($name $(: $value)?,)+ $($($option $(: $option_value)?,)+)? }
        };
        report
    }};
}
