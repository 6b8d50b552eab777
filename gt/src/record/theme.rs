//! Chooses the colours of the status lines of sessions in tmux, so that each rig has its own.
//!
//! A rig has the colours that its settings name, in the form of existing towns: `theme.name`, or
//! `theme.custom` with `bg` and `fg`. Otherwise the hash of its name chooses. The mayor, the deacon
//! and its helpers have colours of their own.

use serde::Serialize;
use serde_json::Value;

use crate::town::config::RigSettings;
use crate::town::identity::Address;
use crate::town::{Rig, Town};

/// The themes of rigs: name, background, foreground.
const RIG_THEMES: [(&str, &str, &str); 10] = [
    ("ocean", "#1e3a5f", "#e0e0e0"),
    ("forest", "#2d5a3d", "#e0e0e0"),
    ("rust", "#8b4513", "#f5f5dc"),
    ("plum", "#4a3050", "#e0e0e0"),
    ("slate", "#4a5568", "#e0e0e0"),
    ("ember", "#b33a00", "#f5f5dc"),
    ("midnight", "#1a1a2e", "#c0c0c0"),
    ("wine", "#722f37", "#f5f5dc"),
    ("teal", "#0d5c63", "#e0e0e0"),
    ("copper", "#6d4c41", "#f5f5dc"),
];
const MAYOR_THEME: (&str, &str, &str) = ("mayor", "#3d3200", "#ffd700");
const DEACON_THEME: (&str, &str, &str) = ("deacon", "#2d1f3d", "#c0b0d0");

/// The colours of a status line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StatusTheme {
    pub name: String,
    pub bg: String,
    pub fg: String,
}

impl StatusTheme {
    fn new((name, bg, fg): (&str, &str, &str)) -> Self {
        Self {
            name: name.to_owned(),
            bg: bg.to_owned(),
            fg: fg.to_owned(),
        }
    }

    /// Returns the colours as a style of tmux.
    pub fn tmux_style(&self) -> String {
        format!("bg={},fg={}", self.bg, self.fg)
    }

    /// Returns the theme of an agent's session.
    pub fn for_agent(town: &Town, agent: &Address) -> Self {
        match (agent, agent.rig()) {
            (_, Some(rig)) => Self::for_rig(&town.rig(rig)),
            (Address::Mayor, None) => Self::new(MAYOR_THEME),
            (_, None) => Self::new(DEACON_THEME),
        }
    }

    /// Returns the theme of a rig.
    pub fn for_rig(rig: &Rig) -> Self {
        // Wrong settings are reported elsewhere, and colours are no reason to fail.
        RigSettings::load(rig)
            .ok()
            .and_then(|settings| Self::from_setting(&settings.theme))
            .unwrap_or_else(|| Self::by_name_of_rig(rig.name()))
    }

    fn from_setting(setting: &Value) -> Option<Self> {
        if let Some(theme) = setting["name"].as_str().and_then(find_theme) {
            return Some(theme);
        }
        let read_colour = |field: &str| {
            let text = setting["custom"][field].as_str()?;
            is_colour(text).then(|| text.to_owned())
        };
        Some(Self {
            name: "custom".to_owned(),
            bg: read_colour("bg")?,
            fg: read_colour("fg")?,
        })
    }

    fn by_name_of_rig(rig: &str) -> Self {
        // FNV-1a, as in existing towns.
        let hash = rig.bytes().fold(0x811c_9dc5_u32, |hash, byte| {
            (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
        });
        Self::new(RIG_THEMES[hash as usize % RIG_THEMES.len()])
    }
}

/// Returns the themes of rigs.
pub fn list_themes() -> Vec<StatusTheme> {
    RIG_THEMES.into_iter().map(StatusTheme::new).collect()
}

/// Returns the theme of a name.
pub fn find_theme(name: &str) -> Option<StatusTheme> {
    let found = RIG_THEMES.iter().find(|(known, ..)| *known == name)?;
    Some(StatusTheme::new(*found))
}

/// Returns true for `#rrggbb` and for the name of a colour. tmux expands other texts as formats,
/// which can run programs.
fn is_colour(text: &str) -> bool {
    match text.strip_prefix('#') {
        Some(digits) => digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()),
        None => !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn settings_choose_a_theme_and_the_name_of_the_rig_is_the_default() {
        let name = |setting: Value| StatusTheme::from_setting(&setting).map(|theme| theme.name);
        assert_eq!(name(json!({ "name": "wine" })).as_deref(), Some("wine"));
        let custom = json!({ "custom": { "bg": "#102030", "fg": "white" } });
        let theme = StatusTheme::from_setting(&custom).unwrap();
        assert_eq!(theme.tmux_style(), "bg=#102030,fg=white");
        for bad in ["#(touch x)", "#12345", "red,blink", ""] {
            let custom = json!({ "custom": { "bg": bad, "fg": "white" } });
            assert_eq!(name(custom), None, "{bad}");
        }
        assert_eq!(name(json!("forest")), None);
        let by_rig = StatusTheme::by_name_of_rig;
        assert_eq!(by_rig("web"), by_rig("web"));
        assert_ne!(by_rig("web"), by_rig("api"));
    }
}
